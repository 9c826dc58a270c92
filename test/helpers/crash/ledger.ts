import { dirname, join } from 'node:path';
import { openedJson } from '../../../adapters/privacy/people.js';
import type { PersonKey } from '../../../application/ports/people.js';
import { Database } from '../../../adapters/sqlite/driver.js';
import { isHandlingEvent, isWebhookEvent, type KnownEvent, type EventOf } from '../../../domain/events.js';
import type { GroupedEvent } from '../../../domain/followUps.js';
import { runsWhere } from '../../../domain/day.js';
import { sourceOf as streamSource } from '../../../domain/streams.js';
import { daysPerPart, type TrackedRequest, type Day } from './requests.js';

export type AlertView = { readonly date: string; readonly digest: string; state: string };
export type SourceView = {
  readonly id: number;
  created: boolean;
  archived: boolean;
  models: readonly { readonly id: number; readonly name: string }[];
  modelsVersion: number;
  lastModelId: number;
  /** Request of the awaited analysis. */
  pending: string | undefined;
  readonly overrides: Map<string, number>;
  readonly days: Map<string, { readonly importId: string; readonly day: Day }>;
  readonly reference: Map<string, { readonly importId: string; readonly day: Day }>;
  readonly alerts: Map<string, AlertView>;
  /** Dates with points: a person's decision on an alert stays while its stretches do. */
  readonly grown: Set<string>;
  /** When dates with points close; null for a date that has closed. */
  readonly closing: Map<string, string | null>;
};
export type ImportView = {
  readonly asked: TrackedRequest;
  readonly stream: string;
  readonly reference: boolean;
  readonly parts: number;
  readonly days: Day[];
  seen: number;
};

export const isUnprocessed = ({ state }: AlertView): boolean => state === 'open' || state === 'acknowledged';

/** Folds the log into the expected answers, and records events that break a rule. */
export const readLedger = (
  askedBy: (n: number) => TrackedRequest | undefined,
  eventsAfter: (position: bigint) => readonly KnownEvent[],
) => {
  const faults: string[] = [];
  const eventsOf = new Map<number, KnownEvent[]>();
  const sources = new Map<number, SourceView>();
  const imports = new Map<string, ImportView>();
  const causes = new Map<string, { readonly event: KnownEvent; parts: number; done: boolean }>();
  const revisions = new Map<string, number>();
  const points: EventOf<'PointsImported'>[] = [];
  const ids = new Set<string>();
  const reserved = new Set<number>();
  /** Sources that are to be created after the archive of those that they were learned from. */
  const awaited = new Set<number>();
  /** Revision of the last event of alerts that no incident knows, by source. */
  const ungrouped = new Map<number, number>();
  let position = 0;
  let lastDue = 0;

  const due = (event: KnownEvent): void => {
    lastDue = Number(event.position);
    if (event.type !== 'SourceCreated' && event.type !== 'ModelsResetRequested')
      causes.set(event.id, { event, parts: 0, done: false });
  };

  const sourceOf = (stream: string): SourceView => {
    const id = Number(stream.split('-')[1]);
    const known = sources.get(id) ?? {
      id,
      created: false,
      archived: false,
      models: [],
      modelsVersion: 0,
      lastModelId: 0,
      pending: undefined,
      overrides: new Map(),
      days: new Map(),
      reference: new Map(),
      alerts: new Map(),
      grown: new Set(),
      closing: new Map(),
    };
    sources.set(id, known);
    return known;
  };

  const takeImport = (event: EventOf<'DaysImported'>, asked: TrackedRequest): string | undefined => {
    const { importId, part, parts, days, kind } = event.data;
    const source = sourceOf(event.stream);
    const known = imports.get(importId) ?? {
      asked,
      stream: event.stream,
      reference: kind === 'reference',
      parts,
      days: [],
      seen: 0,
    };
    imports.set(importId, known);
    if (known.asked !== asked || known.stream !== event.stream) return 'an import with parts of two requests';
    if (part !== known.seen + 1 || parts !== known.parts)
      return `part ${part} of ${parts} after ${known.seen}`;
    known.seen = part;
    const sent = (asked.days ?? []).slice((part - 1) * daysPerPart, part * daysPerPart);
    const there = days.map(({ date, activity, gaps }) => ({ date, activity, gaps }));
    known.days.push(...there);
    // The days of a relearning are compared at the end (test/simulation/invariants.ts).
    if (asked.kind !== 'relearn' && JSON.stringify(there) !== JSON.stringify(sent))
      return 'days differ from the request';
    if (part < parts) return undefined;
    if ((kind === 'reference') === source.created)
      return 'reference days after the source, or recent days before it';
    const target = kind === 'reference' ? source.reference : source.days;
    for (const day of known.days) target.set(day.date, { importId, day });
    if (kind === 'recent') due(event);
    return undefined;
  };

  /** Slices that points set; slices without points are gaps. */
  const takePoints = (event: EventOf<'PointsImported'>): string | undefined => {
    const { importId, rule, days } = event.data;
    const source = sourceOf(event.stream);
    points.push(event);
    const reopened = days.filter(({ date, inProgress }) => inProgress && source.closing.get(date) === null);
    for (const { date, observed, filled = [], gaps: unknown = [], inProgress } of days) {
      source.grown.add(date);
      source.closing.set(date, inProgress?.closesAt ?? null);
      const known = source.days.get(date)?.day;
      const values = Array.from({ length: rule.activitySize }, (_, slice) =>
        known?.gaps.every(([from, to]) => slice < from || slice >= to) ? known.activity[slice] : undefined,
      );
      for (const [from, given] of [...filled, ...observed])
        given.forEach((value, at) => (values[from + at] = value));
      for (const [from, to] of unknown) values.fill(undefined, from, to);
      const gaps = runsWhere(values.length, slice => values[slice] === undefined);
      source.days.set(date, { importId, day: { date, activity: values.map(value => value ?? 0), gaps } });
    }
    due(event);
    return reopened.length > 0 ? `closed dates are in progress again: ${reopened[0]?.date}` : undefined;
  };

  const takeClose = (event: EventOf<'DateClosed'>): string | undefined => {
    const { date, closesAt } = event.data;
    const { closing } = sourceOf(event.stream);
    const known = closing.get(date);
    closing.set(date, null);
    due(event);
    return known === closesAt ? undefined : `the end of ${date} at ${closesAt}, expected ${known ?? 'none'}`;
  };

  const takeModels = (event: EventOf<'ModelsReset' | 'ModelsReplaced'>): string | undefined => {
    const source = sourceOf(event.stream);
    const { models, modelsVersion, requestId } = event.data;
    const stale = event.type === 'ModelsReset' && source.pending !== requestId;
    const reused = models.some(({ id }) => id <= source.lastModelId);
    const skipped = modelsVersion !== source.modelsVersion + 1;
    source.pending = undefined;
    source.models = models;
    source.modelsVersion = modelsVersion;
    source.lastModelId = Math.max(...models.map(({ id }) => id));
    source.overrides.clear();
    for (const { to, dates } of event.data.overrides?.carried ?? [])
      for (const date of dates) source.overrides.set(date, to);
    due(event);
    if (stale) return 'an analysis that is no longer awaited took effect';
    return reused ? 'a reused model id' : skipped ? 'a skipped models version' : undefined;
  };

  const takeCheck = (event: EventOf<'DaysChecked'>): string | undefined => {
    const { cause, part, last } = event.data;
    const known = causes.get(cause.id);
    if (!known) return 'a check without a cause';
    if (known.done || part !== known.parts + 1) return `part ${part} of a check after ${known.parts}`;
    known.parts = part;
    known.done = last;
    return undefined;
  };

  const takeAlert = (event: GroupedEvent, alerts: Map<string, AlertView>): string | undefined => {
    const { alertId, date } = event.data;
    // An alert that is found again while its date goes on may wait for the close.
    const waits =
      event.type === 'AlertConfirmed' && 'facts' in event.data && event.data.facts?.soFar !== undefined;
    if (!waits) ungrouped.set(streamSource(event.stream), event.revision);
    const alert = alerts.get(alertId);
    const other = [...alerts].some(
      ([id, view]) => id !== alertId && view.date === date && isUnprocessed(view),
    );
    const move = (state: string, ...from: readonly string[]): string | undefined => {
      if (!alert || !from.includes(alert.state)) return `${event.type} of an alert that is ${alert?.state}`;
      alert.state = state;
      return undefined;
    };
    switch (event.type) {
      case 'AlertRaised':
        alerts.set(alertId, { date, digest: event.data.dayDigest, state: 'open' });
        return alert ? 'a reused alert id' : other ? 'two unprocessed alerts on a date' : undefined;
      case 'AlertConfirmed':
        return move(alert?.state ?? '', 'open', 'acknowledged');
      case 'AlertInvalidated':
        return move('invalidated', 'open', 'acknowledged');
      case 'AlertAcknowledged':
        return move('acknowledged', 'open');
      case 'AlertResolved':
        return move('resolved', 'open', 'acknowledged', 'ended');
      case 'AlertReopened':
        return other ? 'two unprocessed alerts on a date' : move('open', 'acknowledged', 'resolved');
      case 'AlertEnded':
        return move('ended', 'open', 'acknowledged');
    }
  };

  const take = (event: KnownEvent): string | undefined => {
    const n = Number(/^op-(\d+)$/.exec(event.metadata.by)?.[1] ?? 0);
    const asked = askedBy(n);
    // An import of points may have those of several requests.
    if (asked && event.type !== 'PointsImported') eventsOf.set(n, [...(eventsOf.get(n) ?? []), event]);
    else if (!asked && event.metadata.by !== 'reactor')
      return `an event of the unknown actor ${event.metadata.by}`;
    if (ids.has(event.id)) return 'a reused event id';
    ids.add(event.id);
    if (event.revision !== (revisions.get(event.stream) ?? -1) + 1) return 'a gap in the revisions';
    revisions.set(event.stream, event.revision);
    if (event.type === 'SourceIdReserved') {
      const again = reserved.has(event.data.sourceId);
      reserved.add(event.data.sourceId);
      return again ? 'a reused source id' : undefined;
    }
    if (event.type === 'SourceNameClaimed')
      return reserved.has(event.data.sourceId) ? undefined : 'a name for a source id that is not reserved';
    if (event.type === 'AlertsGrouped') {
      const { sourceId, knowledge } = event.data;
      if (knowledge >= (ungrouped.get(sourceId) ?? Infinity)) ungrouped.delete(sourceId);
      return undefined;
    }
    if (isWebhookEvent(event) || isHandlingEvent(event)) return 'an event of the tenant without a request';
    const source = sourceOf(event.stream);
    switch (event.type) {
      case 'DaysImported':
        return asked ? takeImport(event, asked) : 'an import without a request';
      case 'DayTakenBack':
        due(event);
        return source.days.delete(event.data.date) ? undefined : 'a missing day was taken back';
      case 'PointsImported':
        return takePoints(event);
      case 'DateClosed':
        return takeClose(event);
      case 'ClockTicked':
        return 'a deadline of a source without a rhythm';
      case 'CovariateDaysImported':
        return 'data of a covariate of a source that has none';
      case 'ReferenceExtended':
        return 'an extension of a reference that is not collected';
      case 'SourceCreated':
        source.pending = event.data.requestId;
        due(event);
        if (source.created || source.reference.size !== (asked?.days?.length ?? event.data.reference.days))
          return 'a source without its reference days';
        if (event.data.relearnedFrom !== undefined && !awaited.delete(source.id))
          return 'a source that was learned again without an event of the other one';
        source.created = true;
        return undefined;
      case 'SourceRelearned':
        if (asked?.kind !== 'relearn' || source.archived) return 'a relearning without a request';
        awaited.add(event.data.created.sourceId);
        return undefined;
      case 'SourceArchived':
        if (asked?.kind !== 'relearn' || !awaited.has(event.data.relearnedAs ?? 0))
          return 'an archive without a request';
        source.archived = true;
        return undefined;
      case 'SourceDescribed':
      case 'SourceRestored':
        return 'a change of a source without a request';
      case 'ModelsResetRequested':
        source.pending = event.data.requestId;
        due(event);
        return undefined;
      case 'ModelsReset':
      case 'ModelsReplaced':
        return takeModels(event);
      case 'ModelDescribed':
      case 'ModelAnomalyChanged':
        return 'a change of a model without a request';
      case 'CalendarRuleApplied':
      case 'CalendarRuleWithdrawn':
      case 'CalendarRuleSaved':
      case 'CalendarRuleDeleted':
        return 'a calendar rule without a request';
      case 'AnalysisFailed':
        return 'an analysis of valid data failed';
      case 'DayPlanned':
        source.overrides.set(event.data.date, event.data.modelId);
        due(event);
        return source.models.some(({ id }) => id === event.data.modelId)
          ? undefined
          : 'a plan of an unknown model';
      case 'DayPlanCleared':
        due(event);
        return source.overrides.delete(event.data.date) ? undefined : 'a missing plan was cleared';
      case 'SpecialDayNamed':
      case 'SpecialDayCleared':
        return 'a special day without a request';
      case 'ReferenceDayLeftOut':
      case 'LeavingOutTakenBack':
        return 'a reference day that is left out without a request';
      case 'ChangeAccepted':
      case 'ChangeWithdrawn':
        return 'an accepted change without a request';
      case 'AuditTrailRead':
      case 'PersonErased':
        return 'an audit without a request';
      case 'LogBegun':
      case 'TokenIssued':
      case 'TokenRevoked':
        return 'a token without a request';
      case 'DaysChecked':
        return takeCheck(event);
      case 'AlertRaised':
      case 'AlertConfirmed':
      case 'AlertInvalidated':
      case 'AlertAcknowledged':
      case 'AlertResolved':
      case 'AlertReopened':
      case 'AlertEnded':
        return takeAlert(event, source.alerts);
    }
  };

  return {
    position: () => position,
    count: () => ids.size,
    /** Position of the last event that the process manager must handle. */
    lastDue: () => lastDue,
    sources,
    imports,
    /** Imports of points, in the order of the log. */
    points: points as readonly EventOf<'PointsImported'>[],
    eventsOf: (n: number): readonly KnownEvent[] => eventsOf.get(n) ?? [],
    /** Reads the log from the last position to its end, or to events decided at `end`. */
    readOn: (end?: string): void => {
      for (const event of eventsAfter(BigInt(position))) {
        if (end !== undefined && event.at >= end) return;
        position = Number(event.position);
        const fault = take(event);
        if (fault !== undefined) faults.push(`event ${position}, ${event.type} in ${event.stream}: ${fault}`);
      }
    },
    /** Requested analyses and checks that have not ended, and alerts without an incident. */
    undone: (): string[] => [
      ...[...awaited].map(id => `creation of ${id}`),
      ...[...sources.values()]
        .filter(({ pending }) => pending !== undefined)
        .map(({ id }) => `analysis of ${id}`),
      ...[...causes.values()]
        .filter(({ done }) => !done)
        .map(({ event, parts }) => `check for ${event.type} in ${event.stream} after ${parts} parts`),
      ...[...ungrouped].map(([id, revision]) => `incidents of alerts-${id} to ${revision}`),
    ],
    /** Dates in progress that had to close before an instant. */
    unclosed: (before: string): string[] =>
      [...sources.values()].flatMap(({ id, closing }) =>
        [...closing].flatMap(([date, at]) =>
          at !== null && at < before ? [`close of ${date} of source ${id} at ${at}`] : [],
        ),
      ),
    /** Unfinished work: imports without their last part, reference days without their source, … */
    underWay: () => ({
      imports: [...imports].flatMap(([id, { seen, parts }]) => (seen < parts ? [id] : [])),
      sources: [...sources.values()].flatMap(({ id, created }) => (created ? [] : [id])),
      analyses: [...sources.values()].flatMap(({ pending }) => pending ?? []),
      checks: [...causes].flatMap(([id, { parts, done }]) => (parts > 0 && !done ? [id] : [])),
    }),
    faults: (): string[] => faults.splice(0),
  };
};

export const withDatabase = <Result>(file: string, use: (db: Database) => Result): Result => {
  const db = new Database(file, { readonly: true });
  try {
    return use(db);
  } finally {
    db.close();
  }
};

/** Events of an embedded log after a position, with actors decrypted by the key file next to it. */
export const eventsInFile = (file: string, position: bigint): readonly KnownEvent[] => {
  const rows = withDatabase(file, db =>
    db
      .prepare<[bigint], Record<string, unknown>>('select * from events where position > ? order by position')
      .all(position),
  );
  if (rows.length === 0) return [];
  const keys = withDatabase(join(dirname(file), 'people.sqlite'), db =>
    db.prepare<[], PersonKey>('select * from person_keys').all(),
  );
  const byId = new Map(keys.map(key => [key.id, key]));
  return rows.map(row => ({
    ...row,
    data: JSON.parse(String(row['data'])) as unknown,
    metadata: JSON.parse(openedJson(String(row['metadata']), byId)) as unknown,
  })) as unknown as readonly KnownEvent[];
};

/** All rows of the read models by table, ordered by primary key; of the checkpoints only `readModels`. */
export const dumpOf = (file: string): ReadonlyMap<string, readonly string[]> =>
  withDatabase(file, db => {
    const tables = db
      .prepare<[], string>(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
      .pluck()
      .all();
    return new Map(
      tables.sort().map(table => {
        const columns = db.prepare<[], { name: string; pk: number }>(`pragma table_info("${table}")`).all();
        const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
        const order = (keys.length > 0 ? keys : columns).map(({ name }) => `"${name}"`).join(', ');
        const where = table === 'checkpoints' ? `where name = 'readModels'` : '';
        const rows = db.prepare(`select * from "${table}" ${where} order by ${order}`).raw().all();
        return [table, rows.map(row => JSON.stringify(row))];
      }),
    );
  });

/** Differences of two dumps, as text. */
export const differences = (
  a: ReadonlyMap<string, readonly string[]>,
  b: ReadonlyMap<string, readonly string[]>,
): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].flatMap(table => {
    const [one = [], other = []] = [a.get(table), b.get(table)];
    const at = one.findIndex((row, index) => row !== other[index]);
    if (at < 0 && one.length === other.length) return [];
    return [
      `${table}: ${one.length} and ${other.length} rows; ${one[at]?.slice(0, 300)} | ${other[at]?.slice(0, 300)}`,
    ];
  });
