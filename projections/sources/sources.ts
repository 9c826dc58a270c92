import type { Database } from 'better-sqlite3';
import { sourceOf, type KnownEvent } from '../../domain/events.js';
import { describedAtCreation, type SourceFacts } from '../../domain/source/sourceFacts.js';
import type { RelearnProposal } from '../../domain/source/relearning.js';
import type { SourceDescription } from '../../domain/source/sourceDescription.js';
import { shownCalendar, type ShownCalendar } from '../planning.js';
import { relearnProposer } from '../relearnProposals.js';
import { parsed, type ReadModel } from '../readModel.js';
import { sourceLister, type SortKey, type SourceFilter } from './sourceLists.js';
import { sourceMemo } from './sourceMemo.js';

export type AnalysisStatus = 'pending' | 'running' | 'completed' | 'failed';

/** A source as its tenant sees it. `version` is the revision of its stream. */
export type SourceRecord = Omit<
  SourceFacts,
  'sourceId' | 'tenant' | 'timeZone' | 'relearnedFrom' | 'specialDays' | keyof SourceDescription
> &
  SourceDescription & {
    /** Ids of the sources that explain this one. */
    readonly explainedBy: readonly number[];
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
    /** Last date with data, and instant of the last import. */
    readonly lastData: { readonly date: string; readonly importedAt: string };
    /** Why the source should be learned again from recent days. */
    readonly relearnProposed: RelearnProposal | null;
    readonly createdAt: string;
    /** null unless the source is archived. */
    readonly archivedAt: string | null;
    /** The source whose recent days are the reference of this one. */
    readonly relearnedFrom: number | null;
    /** The source that was learned from recent days of this one. */
    readonly relearnedAs: number | null;
    readonly version: number;
  };

/** Fields of a source that change with its days and alerts. */
type Measured = Pick<SourceRecord, 'counts' | 'lastData' | 'relearnProposed'>;

/** A source as the service needs it, archived or not, without the fields that its days and alerts change. */
export type SourceSetup = Omit<SourceRecord, keyof Measured> & {
  readonly tenant: string;
  /** The calendar that the client gave; `calendar` may be an inferred one. */
  readonly calendarGiven: string | null;
  /** The request whose analysis has not ended. */
  readonly pendingRequestId: string | null;
  /** Position of that request in the log. */
  readonly pendingPosition: number | null;
};

/** A source with its counts, which take a scan of its days. */
export type CountedSource = SourceSetup & Measured;

export const sourcesModel: ReadModel = {
  name: 'sources',
  version: 7,
  schema: `
    create table sources (
      id integer primary key,
      tenant text not null,
      facts text not null,
      name text not null,
      description text not null,
      -- The text that a search reads, and the name that a list is sorted by: in lower case.
      search_text text not null,
      name_key text not null,
      last_data_date text not null,
      last_import_at text not null,
      archived_at text,
      -- The source whose recent days are the reference of this one, and the one that was learned from this one.
      relearned_from integer,
      relearned_as integer,
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
    create index sources_by_name on sources (tenant, name);
    -- Requests that gave a source its name, or gave it back.
    create table source_namings (
      request_id text primary key
    ) strict, without rowid;
    create table source_labels (
      source_id integer not null,
      key text not null,
      value text not null,
      primary key (source_id, key)
    ) strict, without rowid;
    create index source_labels_by_value on source_labels (key, value, source_id);
    create index sources_pending on sources (id) where pending_request_id is not null;`,
  apply: db => {
    const create = sourceWriter(db);
    const describe = descriptionWriter(db);
    const noteImport = db.prepare(
      `update sources set last_data_date = max(last_data_date, ?), last_import_at = ? where id = ?`,
    );
    const archive = db.prepare(
      'update sources set archived_at = ?, relearned_as = coalesce(?, relearned_as) where id = ?',
    );
    const analyse = db.prepare(
      'update sources set pending_request_id = ?, pending_position = ?, analysis = ? where id = ?',
    );
    const model = db.prepare('update sources set models_origin = ?, models_version = ? where id = ?');
    const setModelsVersion = db.prepare('update sources set models_version = ? where id = ?');
    const infer = db.prepare('update sources set inferred = ? where id = ?');
    const noteNaming = db.prepare('insert or ignore into source_namings (request_id) values (?)');
    return event => {
      if (event.type === 'DaysImported') {
        const { sourceId, part, parts, days } = event.data;
        if (part === parts) noteImport.run(days.at(-1)?.date ?? '', event.at, sourceId);
      }
      if (!event.stream.startsWith('source-')) return;
      const id = sourceOf(event.stream);
      const setAnalysis = (pending: string | null, status: AnalysisStatus, detail: object) =>
        analyse.run(pending, pending && event.position, JSON.stringify({ status, ...detail }), id);
      switch (event.type) {
        case 'SourceCreated':
          create(event);
          describe(id, describedAtCreation(event.data));
          noteNaming.run(event.data.requestId);
          break;
        case 'SourceDescribed': {
          const { requestId, ...description } = event.data;
          describe(id, description);
          noteNaming.run(requestId);
          break;
        }
        case 'SourceArchived':
          archive.run(event.at, event.data.relearnedAs ?? null, id);
          break;
        case 'SourceRestored':
          archive.run(null, null, id);
          noteNaming.run(event.data.requestId);
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
        case 'ModelAnomalyChanged':
          setModelsVersion.run(event.data.modelsVersion, id);
          break;
      }
    };
  },
  applyLast: db => {
    const touch = db.prepare('update sources set version = ? where id = ?');
    return ({ stream, revision }) => {
      if (stream.startsWith('source-')) touch.run(revision, sourceOf(stream));
    };
  },
};

type EventOf<Type extends KnownEvent['type']> = Extract<KnownEvent, { type: Type }>;

/** Returns a function that inserts a new source. */
const sourceWriter = (db: Database) => {
  const insert = db.prepare(
    `insert into sources
       (id, tenant, facts, name, description, search_text, name_key, last_data_date, last_import_at,
        relearned_from, pending_request_id, pending_position, analysis, models_version, created_at, version)
     values ($id, $tenant, $facts, '', '', '', '', $to, $at, $relearnedFrom, $requestId, $position, $analysis, 0, $at, $revision)`,
  );
  return ({ stream, position, revision, at, data }: EventOf<'SourceCreated'>): void => {
    const {
      requestId,
      seed: _,
      coverage: __,
      covariates: ____,
      tenant,
      relearnedFrom = null,
      specialDays: ___,
      ...facts
    } = data;
    const analysis = JSON.stringify({ status: 'pending', requestedAt: at });
    const id = sourceOf(stream);
    const { to } = facts.reference;
    const request = { relearnedFrom, requestId, position };
    insert.run({ id, tenant, facts: JSON.stringify(facts), to, at, ...request, analysis, revision });
  };
};

/** Returns a function that stores the description of a source. */
const descriptionWriter = (db: Database) => {
  const set = db.prepare(
    `update sources set name = $name, description = $description, search_text = $searchText, name_key = $nameKey
     where id = $id`,
  );
  const clearLabels = db.prepare('delete from source_labels where source_id = ?');
  const addLabel = db.prepare('insert into source_labels (source_id, key, value) values (?, ?, ?)');
  return (id: number, description: SourceDescription): void => {
    const { name, labels, place } = description;
    const texts = [name, ...Object.entries(labels).map(label => label.join(':')), place?.address ?? ''];
    set.run({
      id,
      name,
      description: JSON.stringify(description),
      searchText: texts.join('\n').toLowerCase(),
      nameKey: name.toLowerCase(),
    });
    clearLabels.run(id);
    for (const [key, value] of Object.entries(labels)) addLabel.run(id, key, value);
  };
};

/** Measurements of an analysis as clients see them. */
const analysisOf = (data: EventOf<'ModelsReset'>['data']): object => {
  const { requestId: _, assignments, models, calendar, checks: __, overrides: ___, ...measured } = data;
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
  readonly description: string;
  readonly last_data_date: string;
  readonly last_import_at: string;
  readonly archived_at: string | null;
  readonly relearned_from: number | null;
  readonly relearned_as: number | null;
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

/** A source from its row, with the fields that its days and alerts change, in the order of the fields. */
const setup = <Changing extends object>(row: Row, changing: Changing): SourceSetup & Changing => {
  const facts = parsed<Omit<SourceFacts, 'tenant'>>(row.facts);
  const description = parsed<SourceDescription>(row.description);
  const inferred = row.inferred === null ? null : parsed<ShownCalendar>(row.inferred);
  return {
    id: row.id,
    ...description,
    explainedBy: description.explainedBy ?? [],
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
    ...changing,
    createdAt: row.created_at,
    archivedAt: row.archived_at,
    relearnedFrom: row.relearned_from,
    relearnedAs: row.relearned_as,
    version: row.version,
    tenant: row.tenant,
    calendarGiven: facts.calendar,
    pendingRequestId: row.pending_request_id,
    pendingPosition: row.pending_position,
  };
};

const counted = (row: CountedRow, relearnProposed: RelearnProposal | null): CountedSource =>
  setup(row, {
    counts: {
      referenceDays: row.reference_days,
      recentDays: row.recent_days,
      models: row.models,
      unprocessedAlerts: row.unprocessed_alerts,
    },
    lastData: { date: row.last_data_date, importedAt: row.last_import_at },
    relearnProposed,
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
  const named = db
    .prepare<[string, string, number], number>(
      // A source that is learned again has its name until the new one has it.
      `select id from sources as one where tenant = ? and name = ? and id <> ? and (archived_at is null or
         (relearned_as is not null and not exists (select 1 from sources where id = one.relearned_as)))
       order by id limit 1`,
    )
    .pluck();
  const naming = db.prepare<[string], number>('select 1 from source_namings where request_id = ?').pluck();
  const propose = relearnProposer(db);
  const proposing = (row: CountedRow): CountedSource =>
    counted(row, row.archived_at === null ? propose(row.id, row.models_version) : null);
  const list = sourceLister(db);
  const ids = db.prepare<[string], number>('select id from sources where tenant = ? order by id').pluck();
  const presentIds = db
    .prepare<[string], number>('select id from sources where tenant = ? and archived_at is null order by id')
    .pluck();
  const pending = db
    .prepare<[], number>('select count(*) from sources where pending_request_id is not null')
    .pluck();

  return {
    /** One source of any tenant, archived or not, without counts. */
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
      return row && proposing(row);
    },
    /** A page of the sources of a tenant, each with its key in the order of the page. */
    page: (filter: SourceFilter): { readonly source: CountedSource; readonly key: SortKey }[] =>
      list(filter).flatMap(({ id, key }) => {
        const row = one.get(id);
        return row ? [{ source: proposing(row), key }] : [];
      }),
    /** A source of a tenant, other than `exceptId`, that has a name. */
    named: (tenant: string, name: string, exceptId = 0): number | undefined =>
      named.get(tenant, name, exceptId),
    /** Whether the event of a request that gives a source its name is known. */
    hasNamed: (requestId: string): boolean => naming.get(requestId) === 1,
    /** Ids of the sources of a tenant that are not archived, ascending. */
    presentIds: (tenant: string): number[] => presentIds.all(tenant),
    /** Ids of all sources of a tenant, archived or not, ascending. */
    ids: (tenant: string): number[] => ids.all(tenant),
    /** Number of sources whose analysis has not ended. */
    pendingCount: (): number => pending.get() ?? 0,
  };
};
