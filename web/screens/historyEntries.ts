import type { AuditEvent } from '../api/client.js';
import { clockOf, hourOf } from '../charts/dayPicture.js';
import type { Formats } from '../messages/formats.js';

/** A line of the history: an event, or all parts of one import or of one check that have been read, newest first. */
export type Entry = {
  readonly event: AuditEvent;
  readonly parts: readonly AuditEvent[];
  /** The event of an alert that a check found. */
  readonly found?: AuditEvent;
};

/** Parts of the history that are shown alone. */
export const historyFilters = ['people', 'imports', 'checks', 'models', 'plans'] as const;
export type HistoryFilter = (typeof historyFilters)[number];

const typesOf: Readonly<Record<Exclude<HistoryFilter, 'people'>, RegExp>> = {
  imports: /^(DaysImported|PointsImported|DayTakenBack|DateClosed|ClockTicked|CovariateDaysImported)$/,
  checks: /^(DaysChecked|Alert\w+|Change\w+)$/,
  models: /^(Model\w*|Models\w+|AnalysisFailed|Reference\w+|LeavingOutTakenBack|SourceRelearned)$/,
  plans: /^(DayPlan\w+|SpecialDay\w+|CalendarRule\w+)$/,
};

const fits = ({ type, byKind }: AuditEvent, filter: HistoryFilter | ''): boolean =>
  filter === '' || (filter === 'people' ? byKind !== 'service' : typesOf[filter].test(type));

/** Data of the events whose parts are one line. */
type Parted = {
  readonly importId?: string;
  readonly cause?: { readonly id: string };
  readonly days?: readonly Checked[];
};

/** A day of an import or a check. */
type Checked = { readonly date: string; readonly outcome?: string };

/** Name of what an event is a part of; undefined for one that is whole. */
const wholeOf = ({ type, data }: AuditEvent): string | undefined => {
  const { importId, cause } = data as Parted;
  if (type === 'DaysImported') return `import ${importId}`;
  return type === 'DaysChecked' ? `check ${cause?.id}` : undefined;
};

/** The lines of events, newest first. A check of no day is no line. */
export const entriesOf = (events: readonly AuditEvent[], filter: HistoryFilter | ''): readonly Entry[] => {
  const entries: (Entry & { readonly parts: AuditEvent[] })[] = [];
  const foundBy = new Map(
    events.filter(({ type }) => /^Alert(Raised|Confirmed)$/.test(type)).map(one => [one.metadata.cause, one]),
  );
  const wholes = new Map<string, { parts: AuditEvent[] }>();
  for (const event of events) {
    if (!fits(event, filter)) continue;
    if (event.type === 'DaysChecked' && (event.data as Parted).days?.length === 0) continue;
    const whole = wholeOf(event);
    const known = whole === undefined ? undefined : wholes.get(whole);
    if (known) {
      known.parts.push(event);
      continue;
    }
    const found = event.type === 'DaysChecked' ? foundBy.get(event.metadata.cause) : undefined;
    const entry = { event, parts: [event], ...(found && { found }) };
    entries.push(entry);
    if (whole !== undefined) wholes.set(whole, entry);
  }
  return entries;
};

/** Days of the parts of an entry, as the sentences of imports and checks say them. */
export type EntryDays = {
  readonly count: number;
  /** First and last date in words, one when they are the same. */
  readonly dates: string;
  /** Number of days by outcome. */
  readonly outcomes: readonly (readonly [outcome: string, count: number])[];
};

const daysIn = (parts: readonly AuditEvent[], { range, dayYear }: Formats): EntryDays => {
  const days = parts.flatMap(({ data }) => (data as Parted).days ?? []);
  const dates = days.map(({ date }) => date).sort();
  const [first = '', last = ''] = [dates[0], dates.at(-1)];
  const outcomes = new Map<string, number>();
  for (const { outcome } of days)
    if (outcome !== undefined) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  return {
    count: days.length,
    dates: dates.length === 0 ? '' : first === last ? dayYear(first) : range(first, last),
    outcomes: [...outcomes].sort(([, a], [, b]) => b - a),
  };
};

/** Data of the events of alerts that have a finding. */
type Found = {
  readonly facts?: { readonly deviation?: { readonly from: number; readonly to: number } | null };
};

/** Times of the stretch of an alert; empty when its event has none. */
const hoursOf = ({ facts }: Found, slices: number): string => {
  if (!facts?.deviation) return '';
  const { from, to } = facts.deviation;
  return `${clockOf(hourOf(from, slices))}–${clockOf(hourOf(to, slices))}`;
};

/** A source: slices of its day, and names of its models, also of earlier ones, by id. */
export type Subject = { readonly slices: number; readonly models: ReadonlyMap<number, string> };

/** Names of models in events that learned or supplied them. */
export const modelsIn = (events: readonly AuditEvent[]): ReadonlyMap<number, string> =>
  new Map(
    events.flatMap(({ type, data }) => {
      if (type !== 'ModelsReset' && type !== 'ModelsReplaced') return [];
      const { models = [] } = data as { readonly models?: readonly { id: number; name: string }[] };
      return models.map(({ id, name }) => [id, name] as const);
    }),
  );

/** Data of an entry with dates, times and models as people write them. */
export const readableEntry = (
  { event, parts, found }: Entry,
  { slices, models }: Subject,
  formats: Formats,
): unknown => {
  const { data } = event;
  const { modelId } = data as { readonly modelId?: number };
  if (wholeOf(event) === undefined)
    return {
      ...(readable(data, formats) as object),
      hours: hoursOf(data as Found, slices),
      model: modelId === undefined ? undefined : models.get(modelId),
    };
  const hours = found ? hoursOf(found.data as Found, slices) : '';
  return { ...(data as object), ...daysIn(parts, formats), hours };
};

/** Data of an event with its dates as people write them. */
const readable = (data: unknown, formats: Formats): unknown => {
  const { date, from, change } = (data ?? {}) as { date?: unknown; from?: unknown; change?: unknown };
  return {
    ...(data as object),
    ...(typeof date === 'string' && { date: formats.dayYear(date) }),
    ...(typeof from === 'string' && { from: formats.dayYear(from) }),
    ...(typeof change === 'object' && { change: readable(change, formats) }),
  };
};
