import type { Database } from 'better-sqlite3';
import { sourceOf } from '../domain/events.js';
import type { SourceFacts } from '../domain/source.js';
import { shownCalendar, type ShownCalendar } from './planning.js';
import { parsed, type ReadModel } from './readModel.js';
import { sourceMemo } from './sourceMemo.js';

export type AnalysisStatus = 'pending' | 'running' | 'completed' | 'failed';

/** A source as its tenant sees it. `version` is the revision of its stream. */
export type SourceRecord = Omit<SourceFacts, 'sourceId' | 'tenant'> & {
  readonly id: number;
  /** `running` is known to the process at work alone; here it is still `pending`. */
  readonly analysis: { readonly status: AnalysisStatus; readonly [detail: string]: unknown };
  /** Whether somebody named `calendar` or the reference days gave it away, and how they did. */
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

/** What the service itself needs to know of a source; it counts nothing. */
export type SourceSetup = Omit<SourceRecord, 'counts'> & {
  readonly tenant: string;
  /** The calendar that was named at creation; `calendar` may be one that was inferred. */
  readonly calendarGiven: string | null;
  /** The request whose analysis is awaited. */
  readonly pendingRequestId: string | null;
  /** Where in the log that request is. */
  readonly pendingPosition: number | null;
};

/** The same with its counts, which cost a look at all its days. */
export type CountedSource = SourceSetup & Pick<SourceRecord, 'counts'>;

export const sourcesModel: ReadModel = {
  name: 'sources',
  version: 4,
  schema: `
    create table sources (
      id integer primary key,
      tenant text not null,
      facts text not null,
      pending_request_id text,
      pending_position integer,
      analysis text not null,
      -- The calendar that the last analysis inferred.
      inferred text,
      models_origin text,
      models_version integer not null,
      created_at text not null,
      version integer not null
    ) strict;
    create index sources_by_tenant on sources (tenant, id);
    create index sources_pending on sources (id) where pending_request_id is not null;`,
  apply: db => {
    const insert = db.prepare(
      `insert into sources
         (id, tenant, facts, pending_request_id, pending_position, analysis, models_version, created_at, version)
       values (?, ?, ?, ?, ?, ?, 0, ?, ?)`,
    );
    const analysed = db.prepare(
      'update sources set pending_request_id = ?, pending_position = ?, analysis = ? where id = ?',
    );
    const modelled = db.prepare('update sources set models_origin = ?, models_version = ? where id = ?');
    const infer = db.prepare('update sources set inferred = ? where id = ?');
    const touched = db.prepare('update sources set version = ? where id = ?');

    return event => {
      if (!event.stream.startsWith('source-')) return;
      const id = sourceOf(event.stream);
      const analysis = (pending: string | null, status: AnalysisStatus, detail: object) =>
        analysed.run(pending, pending && event.position, JSON.stringify({ status, ...detail }), id);
      switch (event.type) {
        case 'SourceCreated': {
          const { requestId, seed: _, level: __, tenant, ...facts } = event.data;
          const pending = JSON.stringify({ status: 'pending', requestedAt: event.at });
          insert.run(
            id,
            tenant,
            JSON.stringify(facts),
            requestId,
            event.position,
            pending,
            event.at,
            event.revision,
          );
          break;
        }
        case 'ModelsResetRequested':
          analysis(event.data.requestId, 'pending', {
            modelCount: event.data.modelCount,
            requestedAt: event.at,
          });
          break;
        case 'ModelsReset': {
          const { requestId: _, assignments, models, calendar, checks: __, ...decided } = event.data;
          const shown = calendar && shownCalendar(calendar);
          infer.run(shown?.origin === 'inferred' ? JSON.stringify(shown) : null, id);
          analysis(null, 'completed', {
            completedAt: event.at,
            ...decided,
            calendar: shown,
            modelCount: models.length,
            usedDays: assignments.length,
          });
          modelled.run('automatic', event.data.modelsVersion, id);
          break;
        }
        case 'AnalysisFailed':
          analysis(null, 'failed', { failedAt: event.at, ...event.data });
          break;
        case 'ModelsReplaced':
          analysis(null, 'completed', { completedAt: event.at, modelsVersion: event.data.modelsVersion });
          modelled.run('custom', event.data.modelsVersion, id);
          break;
      }
      touched.run(event.revision, id);
    };
  },
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

/** What a row says, with `counts` in their place. */
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

/** Sources that are kept at hand. */
const setupsMax = 1000;

/** Questions about sources. */
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
    /** What the service needs of one source, whoever's it is. */
    setup: (id: number): SourceSetup | undefined => {
      const current = version.get(id);
      if (current === undefined) return undefined;
      return keptSetup(id, current, () => {
        const row = plain.get(id);
        return row && setup(row, {});
      });
    },
    /** One source with its counts, whoever's it is. */
    one: (id: number): CountedSource | undefined => {
      const row = one.get(id);
      return row && counted(row);
    },
    /** A tenant's sources with ids above `after`, in order. */
    page: (tenant: string, after: number, limit: number): CountedSource[] =>
      page.all(tenant, after, limit).map(counted),
    /** The ids of all sources of a tenant, in order. */
    ids: (tenant: string): number[] => ids.all(tenant),
    /** How many sources await an analysis. */
    pendingCount: (): number => pending.get() ?? 0,
  };
};
