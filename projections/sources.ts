import type { Database } from 'better-sqlite3';
import { sourceOf, type KnownEvent } from '../domain/events.js';
import type { SourceFacts } from '../domain/source.js';
import { shownCalendar, type ShownCalendar } from './planning.js';
import { parsed, type ReadModel } from './readModel.js';
import { sourceMemo } from './sourceMemo.js';

export type AnalysisStatus = 'pending' | 'running' | 'completed' | 'failed';

/** A source as its tenant sees it. `version` is the revision of its stream. */
export type SourceRecord = Omit<SourceFacts, 'sourceId' | 'tenant' | 'timeZone'> & {
  readonly timeZone: string;
  readonly id: number;
  /** Only the working process knows the status `running`; here it is still `pending`. */
  readonly analysis: { readonly status: AnalysisStatus; readonly [detail: string]: unknown };
  /** Whether a client gave `calendar` or it was inferred from the reference days, and the evidence. */
  readonly calendarOrigin: 'given' | 'inferred' | null;
  readonly calendarEvidence: string | null;
  readonly modelsOrigin: 'automatic' | 'custom' | null;
  /** 0 while there are no models. */
  readonly modelsVersion: number;
  readonly counts: {
    readonly referenceDays: number;
    readonly recentDays: number;
    readonly models: number;
    readonly unprocessedAlerts: number;
  };
  readonly createdAt: string;
  readonly version: number;
};

/** A source as the service needs it, without counts. */
export type SourceSetup = Omit<SourceRecord, 'counts'> & {
  readonly tenant: string;
  /** The calendar that the client gave; `calendar` may be an inferred one. */
  readonly calendarGiven: string | null;
  /** The request whose analysis has not ended. */
  readonly pendingRequestId: string | null;
  /** Position of that request in the log. */
  readonly pendingPosition: number | null;
};

/** A source with its counts, which take a scan of its days. */
export type CountedSource = SourceSetup & Pick<SourceRecord, 'counts'>;

export const sourcesModel: ReadModel = {
  name: 'sources',
  version: 5,
  schema: `
    create table sources (
      id integer primary key,
      tenant text not null,
      facts text not null,
      pending_request_id text,
      pending_position integer,
      analysis text not null,
      -- The calendar inferred by the last analysis.
      inferred text,
      models_origin text,
      models_version integer not null,
      created_at text not null,
      version integer not null
    ) strict;
    create index sources_by_tenant on sources (tenant, id);
    create index sources_pending on sources (id) where pending_request_id is not null;`,
  apply: db => {
    const create = sourceWriter(db);
    const analyse = db.prepare(
      'update sources set pending_request_id = ?, pending_position = ?, analysis = ? where id = ?',
    );
    const model = db.prepare('update sources set models_origin = ?, models_version = ? where id = ?');
    const infer = db.prepare('update sources set inferred = ? where id = ?');
    const touch = db.prepare('update sources set version = ? where id = ?');

    return event => {
      if (!event.stream.startsWith('source-')) return;
      const id = sourceOf(event.stream);
      const setAnalysis = (pending: string | null, status: AnalysisStatus, detail: object) =>
        analyse.run(pending, pending && event.position, JSON.stringify({ status, ...detail }), id);
      switch (event.type) {
        case 'SourceCreated':
          create(event);
          break;
        case 'ModelsResetRequested': {
          const { requestId, modelCount } = event.data;
          setAnalysis(requestId, 'pending', { modelCount, requestedAt: event.at });
          break;
        }
        case 'ModelsReset': {
          const calendar = event.data.calendar && shownCalendar(event.data.calendar);
          infer.run(calendar?.origin === 'inferred' ? JSON.stringify(calendar) : null, id);
          setAnalysis(null, 'completed', { completedAt: event.at, ...analysisOf(event.data) });
          model.run('automatic', event.data.modelsVersion, id);
          break;
        }
        case 'AnalysisFailed':
          setAnalysis(null, 'failed', { failedAt: event.at, ...event.data });
          break;
        case 'ModelsReplaced': {
          const { modelsVersion } = event.data;
          setAnalysis(null, 'completed', { completedAt: event.at, modelsVersion });
          model.run('custom', modelsVersion, id);
          break;
        }
      }
      touch.run(event.revision, id);
    };
  },
};

type EventOf<Type extends KnownEvent['type']> = Extract<KnownEvent, { type: Type }>;

/** Returns a function that inserts a new source. */
const sourceWriter = (db: Database) => {
  const insert = db.prepare(
    `insert into sources
       (id, tenant, facts, pending_request_id, pending_position, analysis, models_version, created_at, version)
     values (?, ?, ?, ?, ?, ?, 0, ?, ?)`,
  );
  return ({ stream, position, revision, at, data }: EventOf<'SourceCreated'>): void => {
    const { requestId, seed: _, coverage: __, tenant, ...facts } = data;
    const analysis = JSON.stringify({ status: 'pending', requestedAt: at });
    const id = sourceOf(stream);
    insert.run(id, tenant, JSON.stringify(facts), requestId, position, analysis, at, revision);
  };
};

/** Measurements of an analysis as clients see them. */
const analysisOf = (data: EventOf<'ModelsReset'>['data']): object => {
  const { requestId: _, assignments, models, calendar, checks: __, ...measured } = data;
  return {
    ...measured,
    calendar: calendar && shownCalendar(calendar),
    modelCount: models.length,
    usedDays: assignments.length,
  };
};

type Row = {
  readonly id: number;
  readonly tenant: string;
  readonly facts: string;
  readonly pending_request_id: string | null;
  readonly pending_position: number | null;
  readonly analysis: string;
  readonly inferred: string | null;
  readonly models_origin: 'automatic' | 'custom' | null;
  readonly models_version: number;
  readonly created_at: string;
  readonly version: number;
};
type CountedRow = Row & {
  readonly reference_days: number;
  readonly recent_days: number;
  readonly models: number;
  readonly unprocessed_alerts: number;
};

/** A source from its row, with `counts` at their place in the order of the fields. */
const setup = <Counts extends object>(row: Row, counts: Counts): SourceSetup & Counts => {
  const facts = parsed<Omit<SourceFacts, 'tenant'>>(row.facts);
  const inferred = row.inferred === null ? null : parsed<ShownCalendar>(row.inferred);
  return {
    id: row.id,
    name: facts.name,
    referenceYear: facts.referenceYear,
    activitySize: facts.activitySize,
    interpolationMethod: facts.interpolationMethod,
    aggregation: facts.aggregation,
    timeZone: facts.timeZone ?? 'UTC',
    calendar: facts.calendar ?? inferred?.code ?? null,
    calendarOrigin: facts.calendar === null ? (inferred?.origin ?? null) : 'given',
    calendarEvidence: inferred?.evidence ?? null,
    reference: facts.reference,
    analysis: parsed<SourceRecord['analysis']>(row.analysis),
    modelsOrigin: row.models_origin,
    modelsVersion: row.models_version,
    ...counts,
    createdAt: row.created_at,
    version: row.version,
    tenant: row.tenant,
    calendarGiven: facts.calendar,
    pendingRequestId: row.pending_request_id,
    pendingPosition: row.pending_position,
  };
};

const counted = (row: CountedRow): CountedSource =>
  setup(row, {
    counts: {
      referenceDays: row.reference_days,
      recentDays: row.recent_days,
      models: row.models,
      unprocessedAlerts: row.unprocessed_alerts,
    },
  });

/** Number of sources kept in memory. */
const setupsMax = 1000;

/** Queries on sources. */
export const sourceQueries = (db: Database) => {
  const countedSources = `
    select sources.*,
      (select count(*) from days where source_id = sources.id and kind = 'reference') as reference_days,
      (select count(*) from days where source_id = sources.id and kind = 'recent') as recent_days,
      (select count(*) from models where source_id = sources.id) as models,
      (select count(*) from alerts where source_id = sources.id and state in ('open', 'acknowledged'))
        as unprocessed_alerts
    from sources`;
  const plain = db.prepare<[number], Row>('select * from sources where id = ?');
  const version = db.prepare<[number], number>('select version from sources where id = ?').pluck();
  const keptSetup = sourceMemo<SourceSetup | undefined>(setupsMax);
  const one = db.prepare<[number], CountedRow>(`${countedSources} where id = ?`);
  const page = db.prepare<[string, number, number], CountedRow>(
    `${countedSources} where tenant = ? and id > ? order by id limit cast(? as integer)`,
  );
  const ids = db.prepare<[string], number>('select id from sources where tenant = ? order by id').pluck();
  const pending = db
    .prepare<[], number>('select count(*) from sources where pending_request_id is not null')
    .pluck();

  return {
    /** One source of any tenant, without counts. */
    setup: (id: number): SourceSetup | undefined => {
      const current = version.get(id);
      if (current === undefined) return undefined;
      return keptSetup(id, current, () => {
        const row = plain.get(id);
        return row && setup(row, {});
      });
    },
    /** One source of any tenant, with its counts. */
    one: (id: number): CountedSource | undefined => {
      const row = one.get(id);
      return row && counted(row);
    },
    /** Sources of a tenant with ids above `after`, by id. */
    page: (tenant: string, after: number, limit: number): CountedSource[] =>
      page.all(tenant, after, limit).map(counted),
    /** Ids of all sources of a tenant, ascending. */
    ids: (tenant: string): number[] => ids.all(tenant),
    /** Number of sources whose analysis has not ended. */
    pendingCount: (): number => pending.get() ?? 0,
  };
};
