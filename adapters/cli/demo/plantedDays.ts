import { dateOf, dayNumber } from '../../../domain/dates.js';

/** An unusual day in the recent data. Hours run 0–24, `fromHour` inclusive, `toHour` exclusive. */
export type Planted = {
  readonly date: string;
  /** `gap`: rows are missing; `activity`: the number of visitors is unusual. */
  readonly kind: 'activity' | 'gap';
  readonly fromHour: number;
  readonly toHour: number;
  readonly description: string;
};

/** A planted day. `visitors` changes the expected visitors; `undefined` where no row is written. */
export type Plant = Planted & { readonly visitors: (expected: number, hour: number) => number | undefined };

/** The planted days, each in a different week; the seed decides the weekday, Monday to Thursday. */
export const plantedDays = (random: () => number): Plant[] => {
  const inWeekOf = (monday: string) => dateOf(dayNumber(monday) + Math.floor(random() * 4));
  return [
    {
      date: inWeekOf('2025-09-15'),
      kind: 'activity',
      fromHour: 8,
      toHour: 20,
      description: 'closed on a working day, only traders at the door',
      visitors: () => 1,
    },
    {
      date: inWeekOf('2025-10-06'),
      kind: 'activity',
      fromHour: 13,
      toHour: 18,
      description: 'a famous cook visits, twice the visitors 13:00–18:00',
      visitors: expected => 2 * expected,
    },
    {
      date: inWeekOf('2025-10-27'),
      kind: 'activity',
      fromHour: 10,
      toHour: 14,
      description: 'power cut, the counts fall to zero 10:00–14:00',
      visitors: () => 0,
    },
    {
      date: inWeekOf('2025-11-10'),
      kind: 'activity',
      fromHour: 20,
      toHour: 24,
      description: 'night market, visitors until midnight',
      visitors: (_, hour) => 50 + 40 * Math.exp(-((hour - 22) ** 2) / 2),
    },
    {
      date: inWeekOf('2025-12-01'),
      kind: 'gap',
      fromHour: 7,
      toHour: 20,
      description: 'sensor outage, no rows 07:00–20:00',
      visitors: () => undefined,
    },
  ];
};
