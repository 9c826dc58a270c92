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
 * A day that follows the weekly pattern, breaks it, or lacks most of its slices. The fraction of its first value is
 * the number of its request, so that no two requests send the same day.
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

/** Models for a replacement, similar to the usual pattern. */
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
  create: ['SourceIdReserved', 'DaysImported', 'DaysImported', 'SourceNameClaimed', 'SourceCreated'],
  import: ['DaysImported'],
  bad: [],
  reset: ['ModelsResetRequested'],
  replace: ['ModelsReplaced'],
  plan: ['DayPlanned'],
  clear: ['DayPlanCleared'],
  takeBack: ['DayTakenBack'],
  /** Their events have the points of several requests: test/simulation/points.ts compares them. */
  points: [],
  acknowledge: ['AlertAcknowledged'],
  resolve: ['AlertResolved'],
  reopen: ['AlertReopened'],
  /** Its reference comes before; a retry after further imports stores another one. */
  relearn: ['SourceRelearned', 'SourceArchived', 'SourceCreated'],
} as const;

/** A point: seconds since 1970, and its value. */
export type SentPoint = { readonly at: number; readonly value: number };

/** How a source makes slices of points: by a clock of constant offset, their means or their sums. */
export type Cut = { readonly offsetSeconds: number; readonly isSum: boolean };

/** A request to send. `cut` is absent for means by the clock of UTC. */
export type RequestSpec = {
  readonly kind: keyof typeof kinds;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly media?: 'text/csv' | 'application/json';
  readonly body?: string;
  readonly days?: readonly Day[];
  readonly size?: number;
  /** Points of a source, in the order of the body. */
  readonly points?: readonly SentPoint[];
  readonly sourceId?: number;
  readonly cut?: Cut;
  /** Whether the points are readings of a register. */
  readonly isRegister?: true;
  /** Fields that its event must have. */
  readonly about?: Readonly<Record<string, unknown>>;
};

/** A sent request and its outcome. The token's subject has its number, so that each event identifies its request. */
export type TrackedRequest = RequestSpec & {
  readonly n: number;
  readonly key: string | undefined;
  tries: number;
  state: 'sent' | 'acknowledged' | 'refused' | 'unknown';
  /** Logical times that order all requests and answers. */
  sentAt: number;
  answeredAt: number;
  status: number;
  answer: Answer;
  /** Number of its events when it was answered or abandoned: it must not grow. */
  frozen: number | undefined;
};

/** Records a request; does not send it. */
export const track = (all: TrackedRequest[], spec: RequestSpec, keyed: boolean): TrackedRequest => {
  const n = all.length + 1;
  const asked: TrackedRequest = {
    ...spec,
    n,
    key: keyed && spec.method === 'POST' ? `key-${n}` : undefined,
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

/** Event types of a request that took effect. */
export const effectOf = ({ kind, days = [] }: TrackedRequest): readonly string[] =>
  kind === 'import' ? Array<string>(Math.ceil(days.length / daysPerPart)).fill('DaysImported') : kinds[kind];

/**
 * Number of runs of a request: a retry of a superseded reset runs again under its key. Each run has its own id, which
 * must be unique in the log.
 */
const runsOf = ({ kind, tries }: TrackedRequest, events: readonly KnownEvent[]): number => {
  const ids = new Set(events.flatMap(({ data }) => ('requestId' in data ? [data.requestId] : [])));
  return kind === 'reset' ? Math.max(1, Math.min(tries, ids.size)) : 1;
};

/** Types of the events of a request; of a relearning without the stored references, which have no effect alone. */
const typesOf = ({ kind }: TrackedRequest, events: readonly KnownEvent[]): string[] =>
  events
    .map(({ type }) => type)
    .filter(type => kind !== 'relearn' || (type !== 'SourceIdReserved' && type !== 'DaysImported'));

/** Id of the source that a request changes; undefined for a creation. */
const changedSource = ({ path, body = '' }: TrackedRequest): number | undefined => {
  const [, id] = /^\/v1\/[a-z/-]+\/(\d+)/.exec(path) ?? /"sourceId":(\d+)/.exec(body) ?? [];
  return id === undefined ? undefined : Number(id);
};

/** Whether a request changes a source that is archived. */
export const isOfGone = (asked: TrackedRequest, isGone: (sourceId: number) => boolean): boolean => {
  const id = changedSource(asked);
  return id !== undefined && isGone(id);
};

/**
 * Faults of the events of a request, as text.
 * @param isGone whether a source is archived; requests to it may be refused
 */
export const requestFaults = (
  asked: TrackedRequest,
  events: readonly KnownEvent[],
  isGone: (sourceId: number) => boolean = () => false,
): string[] => {
  const types = typesOf(asked, events);
  const effect = Array.from({ length: runsOf(asked, events) }, () => effectOf(asked)).flat();
  const full = types.join() === effect.join();
  const { kind, state, status } = asked;
  const wrong = (fault: string) => [
    `request ${asked.n} (${kind}, ${state} ${status}, ${asked.tries} tries) ${fault}: ${types.join() || 'no event'}`,
  ];
  if (asked.frozen !== undefined && asked.frozen !== events.length)
    return wrong('has new events after its end');
  if (state === 'acknowledged') {
    // A plan that does not change, and a day that was taken back before, have no event.
    if (!full && !(types.length === 0 && ['plan', 'clear', 'takeBack'].includes(kind)))
      return wrong('is acknowledged, but not in the log');
  } else if (state === 'refused') {
    // A retry whose events are in the log is never 404. A 409 may come after an earlier try took effect.
    const isStored = full && types.length > 0;
    if (isOfGone(asked, isGone) && (status === 409 || (status === 404 && !isStored))) return [];
    const overtaken = kind === 'reset' && status === 409 && full;
    // Parts of an import without its last part have no effect.
    const unseen = ['storeUnavailable', 'contention'].includes(asked.answer.code ?? '') && !full;
    // Two clients may ask for one name. Days without their source have no effect.
    const nameTaken =
      kind === 'create' && asked.answer.code === 'sourceNameTaken' && !types.includes('SourceCreated');
    if (types.length > 0 && !overtaken && !unseen && !nameTaken) return wrong('is refused, but in the log');
    // The queue is full, the store unavailable or changed by others for too long: no effect, and the client may retry.
    const retryable = ['queueFull', 'storeUnavailable', 'storageFull', 'contention'];
    if (status === 503 && retryable.includes(asked.answer.code ?? '')) return [];
    // A date that never had a recent day.
    if (kind === 'takeBack' && status === 404) return [];
    // Days with gaps of another import replaced some of the fewest days that suffice.
    if (kind === 'relearn' && asked.answer.code === 'recentTooShort') return [];
    const expected =
      kind === 'bad' || kind === 'plan' ? [422] : kind === 'reset' || isMove(kind) || nameTaken ? [409] : [];
    if (!expected.includes(status))
      return wrong(`is refused without a reason (${JSON.stringify(asked.answer)})`);
  } else if (
    !effect.slice(0, types.length).every((type, index) => type === types[index]) ||
    types.length > effect.length
  )
    return wrong('has wrong events');
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

export const isMove = (kind: RequestSpec['kind']): boolean =>
  kind === 'acknowledge' || kind === 'resolve' || kind === 'reopen';
