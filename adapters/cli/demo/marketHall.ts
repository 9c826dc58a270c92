import { dateOf, dayOfYear, weekday } from '../../../domain/dates.js';

/** Dates on which the hall is closed. */
const closed = new Set(['2024-01-01', '2024-12-25']);

/** Public holidays of England. The offices around the hall are as empty as in midsummer. */
const holidays = new Set([
  '2024-03-29',
  '2024-04-01',
  '2024-05-06',
  '2024-05-27',
  '2024-08-26',
  '2024-12-26',
]);

/** Opening hours of a day and its visitors. */
type Opening = {
  readonly opensHour: number;
  readonly closesHour: number;
  /** Visitors per sample during opening hours. */
  readonly base: number;
  /** Peaks: hour, visitors per sample at that hour, width (standard deviation) in hours. */
  readonly peaks: readonly (readonly [hour: number, visitors: number, widthHours: number])[];
};

const working: Opening = {
  opensHour: 8,
  closesHour: 20,
  base: 60,
  peaks: [
    [12.6, 170, 0.8],
    [17.6, 110, 1],
  ],
};
/** In midsummer the offices are half empty, and tourists come in the afternoon. */
const workingSummer: Opening = {
  opensHour: 8,
  closesHour: 20,
  base: 60,
  peaks: [
    [12.6, 90, 0.9],
    [15.4, 100, 1.6],
  ],
};
const saturday: Opening = {
  opensHour: 9,
  closesHour: 19,
  base: 90,
  peaks: [
    [11.4, 150, 1.2],
    [15, 90, 1.4],
  ],
};
const sunday: Opening = { opensHour: 11, closesHour: 16.5, base: 60, peaks: [[13.5, 60, 1.2]] };

/** How much of the summer pattern a day has, 0–1: 1 on 27 July, 0 two months before and after. */
const summerOn = (number: number): number => {
  const distance = Math.abs(dayOfYear(number) - 208) / 60;
  return distance < 1 ? (1 + Math.cos(Math.PI * distance)) / 2 : 0;
};

/** Expected visitors per sample at an hour of the day (0–24), from the opening only. */
const openAt = (opening: Opening, hour: number): number => {
  // The number of visitors rises in the first half hour and falls in the last one.
  const edge = Math.min((hour - opening.opensHour) / 0.5, (opening.closesHour - hour) / 0.5, 1);
  // Traders arrive in the hour before opening.
  if (edge <= 0) return hour >= opening.opensHour - 1 && hour < opening.opensHour ? 5 : 0;
  const peaks = opening.peaks.map(
    ([hourOfPeak, visitors, width]) => visitors * Math.exp(-(((hour - hourOfPeak) / width) ** 2) / 2),
  );
  return edge * peaks.reduce((sum, visitors) => sum + visitors, opening.base);
};

/** Expected visitors per sample on a day (day number), at an hour of it, from the calendar. */
export const expectedVisitors = (number: number, hour: number): number => {
  const date = dateOf(number);
  if (closed.has(date)) return 0;
  const day = weekday(number);
  if (day === 5) return openAt(saturday, hour);
  if (day === 6) return openAt(sunday, hour);
  const summer = holidays.has(date) ? 0.6 : summerOn(number);
  return summer * openAt(workingSummer, hour) + (1 - summer) * openAt(working, hour);
};
