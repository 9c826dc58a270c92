import type { DayCell, OverviewSource } from '../api/client.js';
import type { Translations } from '../messages/formats.js';

/** Numbers of an alert or an incident that say how bad it is. `severity` is absent or null for those of old engines. */
export type Graded = { readonly criticity: number; readonly severity?: number | null | undefined };

/** Severities from which a mark has its second and its third level: a quarter of the allowance, and all of it. */
const levelsFrom = [0.2, 0.5] as const;
/** The same of criticity, for alerts without a severity: most are above one half. */
const criticitiesFrom = [0.7, 0.85] as const;

/** Three levels that people tell apart, by what was lost. */
export const levelOf = ({ severity, criticity }: Graded): 1 | 2 | 3 => {
  const [value, [second, third]] = severity == null ? [criticity, criticitiesFrom] : [severity, levelsFrom];
  return value < second ? 1 : value < third ? 2 : 3;
};

/** An incident as its worst alert is graded. */
export const gradedIncident = ({
  criticity,
  worstSeverity,
}: {
  readonly criticity: number;
  readonly worstSeverity: number | null;
}): Graded => ({ criticity, severity: worstSeverity });

/** Order by what was lost, the worst first; those without a severity come last, by criticity. */
export const byLoss = (a: Graded, b: Graded): number =>
  (b.severity ?? -1) - (a.severity ?? -1) || b.criticity - a.criticity;

/** How a day of a source looks: what it was, or what is to come. */
export type Look = DayLook & {
  /** Absent for a date that is over or to come. */
  readonly inProgress?: true;
  /** Share of a date in progress that has elapsed. */
  readonly elapsed?: number;
};
type DayAlert = NonNullable<DayCell['alert']>;
type DayLook =
  | { readonly kind: 'ordinary' | 'reference' | 'unchecked' | 'drift' | 'none' }
  | { readonly kind: 'gap'; readonly alert?: Pick<DayAlert, 'id' | 'state'> }
  | {
      readonly kind: 'alert';
      readonly id: string;
      readonly level: 1 | 2 | 3;
      readonly criticity: number;
      readonly loss: string | undefined;
      readonly losses: Translations | undefined;
      readonly state: DayAlert['state'];
      /** Whether it is about data that do not come. */
      readonly isSilence: boolean;
    }
  | {
      readonly kind: 'planned';
      readonly name: string;
      readonly names: Translations;
      readonly color: string;
    };

const msPerDay = 86_400_000;
const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / msPerDay;
const dateOf = (number: number): string => new Date(number * msPerDay).toISOString().slice(0, 10);

/** The date so many days later. */
export const addDays = (date: string, days: number): string => dateOf(dayNumber(date) + days);

/** Dates from `from` (inclusive) to `to` (exclusive). */
export const datesBetween = (from: string, to: string): string[] =>
  Array.from({ length: Math.max(0, dayNumber(to) - dayNumber(from)) }, (_, index) => addDays(from, index));

/** Monday is 0. */
export const weekdayOf = (date: string): number => (((dayNumber(date) + 3) % 7) + 7) % 7;

/** Id of the alert of a day; undefined for none. */
export const alertIdOf = (look: Look): string | undefined =>
  look.kind === 'alert' ? look.id : look.kind === 'gap' ? look.alert?.id : undefined;

const lookOfAlert = (alert: Omit<DayAlert, 'kind'>, isSilence: boolean): DayLook => {
  const { id, criticity, loss, losses, state } = alert;
  return { kind: 'alert', id, criticity, loss, losses, state, isSilence, level: levelOf(alert) };
};

const lookOf = ({ kind, outcome, alert }: DayCell): DayLook => {
  if (alert?.kind === 'gap') return { kind: 'gap', alert };
  if (alert) return lookOfAlert(alert, alert.kind === 'noData');
  if (kind === 'reference') return { kind: 'reference' };
  switch (outcome) {
    case null:
    case 'notCompared':
      return { kind: 'unchecked' };
    case 'drift':
      return { kind: 'drift' };
    case 'gap':
      return { kind: 'gap' };
    case 'normal':
    case 'abnormal':
      return { kind: 'ordinary' };
  }
};

/** One look for each date. */
export const looksOf = (
  { days, silence }: OverviewSource,
  planned: OverviewSource['planned'],
  dates: readonly string[],
): Look[] => {
  const byDate = new Map(days.map(day => [day.date, day]));
  const plans = new Map(planned?.map(plan => [plan.date, plan]));
  return dates.map(date => {
    const day = byDate.get(date);
    if (day?.inProgress) return { ...lookOf(day), inProgress: true, elapsed: day.elapsed ?? 0 };
    if (day) return lookOf(day);
    if (date === silence?.date) return lookOfAlert(silence, true);
    const plan = plans.get(date);
    if (!plan) return { kind: 'none' };
    const { name, names, color } = plan;
    return { kind: 'planned', name, names, color };
  });
};

/** Days with enough data from which a source that collects its reference learns first. */
export const firstDays = 56;

/** The instant of a local date and time, `YYYY-MM-DDTHH:MM` as fields give it; undefined when it is none. */
export const instantOf = (local: string): string | undefined => {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};
