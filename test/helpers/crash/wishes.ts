import { isDeepStrictEqual } from 'node:util';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import type { KnownEvent } from '../../../domain/events.js';
import type { Chance } from './chance.js';

export type Day = {
  readonly date: string;
  readonly activity: readonly number[];
  readonly gaps: readonly (readonly [number, number])[];
};

export const referenceDays = 60;
export const daysPerPart = 31;

/**
 * A day that follows the week's pattern, breaks it, or lacks most of its slices. The fraction of its first value is
 * the number of the request that sends it, so that no two requests ever send the same day.
 */
export const makeDay = (
  n: number,
  date: string,
  size: number,
  kind: 'normal' | 'spike' | 'gap',
  { below }: Chance,
): Day => {
  const height = weekday(dayNumber(date)) < 5 ? 100 : 40;
  const seen = kind === 'gap' ? Math.floor(size / 8) : size;
  const activity = Array.from({ length: size }, (_, slice) => {
    if (slice >= seen) return 0;
    const usual = Math.round(height * (1 - Math.abs(2 * (slice / size) - 1))) + below(6);
    return usual + (kind === 'spike' && slice > 0 && slice < 3 ? 900 : 0) + (slice === 0 ? n / 65_536 : 0);
  });
  return { date, activity, gaps: seen < size ? [[seen, size]] : [] };
};

export const makeDays = (
  n: number,
  from: string,
  count: number,
  size: number,
  random: Chance,
  kinds: readonly ('normal' | 'spike' | 'gap')[],
): Day[] =>
  Array.from({ length: count }, (_, index) =>
    makeDay(n, dateOf(dayNumber(from) + index), size, random.one(kinds), random),
  );

export const csvOf = (days: readonly Day[]): string =>
  [
    'date;value',
    ...days.flatMap(({ date, activity, gaps }) =>
      activity.slice(0, gaps[0]?.[0]).map((value, slice) => {
        const minutes = (slice * 1440) / activity.length;
        const time = new Date((dayNumber(date) * 1440 + minutes) * 60_000).toISOString().slice(0, 19);
        return `"${time}";"${String(value).replace('.', ',')}"`;
      }),
    ),
    '',
  ].join('\n');

export const jsonOf = (days: readonly Day[]) => days.map(({ date, activity }) => ({ date, activity }));

/** Custom models that the usual pattern fits more or less. */
export const makeModels = (n: number, size: number, random: Chance) =>
  ['weekdays', 'weekends', 'off'].map((name, index) => {
    const height = [100, 40, 0][index] ?? 0;
    const activity = Array.from(
      { length: size },
      (_, slice) => Math.round(height * (1 - Math.abs(2 * (slice / size) - 1))) + 3,
    );
    const width = 4 + random.below(60);
    return {
      name: `${name} ${n}`,
      color: '#0072B2',
      anomaly: name === 'off',
      activity,
      topTolerance: activity.map(value => value + width),
      bottomTolerance: activity.map(value => value - width),
    };
  });

// --- requests -------------------------------------------------------------------------------------------------

export const kinds = {
  create: ['SourceIdReserved', 'DaysImported', 'DaysImported', 'SourceCreated'],
  import: ['DaysImported'],
  bad: [],
  reset: ['ModelsResetRequested'],
  replace: ['ModelsReplaced'],
  plan: ['DayPlanned'],
  clear: ['DayPlanCleared'],
  acknowledge: ['AlertAcknowledged'],
  resolve: ['AlertResolved'],
  reopen: ['AlertReopened'],
} as const;

/** What a request asks for. */
export type Wish = {
  readonly kind: keyof typeof kinds;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly media?: 'text/csv' | 'application/json';
  readonly body?: string;
  readonly days?: readonly Day[];
  readonly size?: number;
  /** What its event must hold. */
  readonly about?: Readonly<Record<string, unknown>>;
};

/** A request and what came of it. Its number is in the token's subject, so every event tells which request made it. */
export type Asked = Wish & {
  readonly n: number;
  readonly key: string | undefined;
  tries: number;
  state: 'sent' | 'acknowledged' | 'refused' | 'unknown';
  /** Logical times, which order all sendings and answers. */
  sentAt: number;
  answeredAt: number;
  status: number;
  answer: Answer;
  /** Events that it had when it was given up or answered: no more may ever come. */
  frozen: number | undefined;
};

/** Adds a request to those that were asked; it is not sent yet. */
export const ask = (all: Asked[], wish: Wish, keyed: boolean): Asked => {
  const n = all.length + 1;
  const asked: Asked = {
    ...wish,
    n,
    key: keyed && wish.method === 'POST' ? `key-${n}` : undefined,
    tries: 0,
    state: 'sent',
    sentAt: 0,
    answeredAt: Infinity,
    status: 0,
    answer: {},
    frozen: undefined,
  };
  all.push(asked);
  return asked;
};

export type Answer = {
  readonly code?: string;
  readonly source?: { readonly id: number };
  readonly import?: { readonly id: string };
  readonly alerts?: { readonly raised: readonly { readonly id: string }[] };
};

/** The events that a request must have when it took effect. */
export const effectOf = ({ kind, days = [] }: Asked): readonly string[] =>
  kind === 'import' ? Array<string>(Math.ceil(days.length / daysPerPart)).fill('DaysImported') : kinds[kind];

/**
 * How often a request ran: a reset that was overtaken may run again under its key, and a client that never heard of it
 * has sent it again. Each run has an id of its own, under which it must be there once.
 */
const runsOf = ({ kind, tries }: Asked, events: readonly KnownEvent[]): number => {
  const ids = new Set(events.flatMap(({ data }) => ('requestId' in data ? [data.requestId] : [])));
  return kind === 'reset' ? Math.max(1, Math.min(tries, ids.size)) : 1;
};

/** What is wrong with the events that the log has of a request, in words. */
export const judge = (asked: Asked, events: readonly KnownEvent[]): string[] => {
  const types = events.map(({ type }) => type);
  const effect = Array.from({ length: runsOf(asked, events) }, () => effectOf(asked)).flat();
  const full = types.join() === effect.join();
  const { kind, state, status } = asked;
  const wrong = (what: string) => [
    `request ${asked.n} (${kind}, ${state} ${status}, ${asked.tries} tries) ${what}: ${types.join() || 'no event'}`,
  ];
  if (asked.frozen !== undefined && asked.frozen !== types.length)
    return wrong('has other events than before');
  if (state === 'acknowledged') {
    // What a plan says already is not said again.
    if (!full && !(types.length === 0 && (kind === 'plan' || kind === 'clear')))
      return wrong('is acknowledged and not there');
  } else if (state === 'refused') {
    const overtaken = kind === 'reset' && status === 409 && full;
    // Parts of an import without the last are not seen by anybody.
    const unseen = asked.answer.code === 'storeUnavailable' && !full;
    if (types.length > 0 && !overtaken && !unseen) return wrong('is refused and there');
    // More work than the service lets wait, or no store: nothing takes effect, and the client may come again.
    if (status === 503 && asked.answer.code === 'queueFull') return [];
    if (status === 503 && ['storeUnavailable', 'storageFull'].includes(asked.answer.code ?? '')) return [];
    const expected =
      kind === 'bad' ? [422] : kind === 'plan' ? [422] : kind === 'reset' || isMove(kind) ? [409] : [];
    if (!expected.includes(status))
      return wrong(`is refused without a reason (${JSON.stringify(asked.answer)})`);
  } else if (
    !effect.slice(0, types.length).every((type, index) => type === types[index]) ||
    types.length > effect.length
  )
    return wrong('is there in another way than it should');
  const [first, last] = [events[0], events.at(-1)];
  if (!first || !last) return [];
  const data = last.data as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(asked.about ?? {}))
    if (full && !isDeepStrictEqual(data[name], value)) return wrong(`has another ${name}`);
  const { source, import: imported } = asked.answer;
  if (source && last.stream !== `source-${source.id}`) return wrong(`was answered as source ${source.id}`);
  if (imported && kind === 'import' && data['importId'] !== imported.id)
    return wrong(`was answered as import ${imported.id}`);
  return [];
};

export const isMove = (kind: Wish['kind']): boolean =>
  kind === 'acknowledge' || kind === 'resolve' || kind === 'reopen';
