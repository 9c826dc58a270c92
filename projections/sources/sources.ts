import { lastRevisions, type KnownEvent, type EventOf } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import { shownCalendar, shownCycle } from '../planningBases.js';
import { cell, parsed, type ReadModel } from '../readModel.js';
import type { AnalysisStatus } from './sourceRecords.js';
import type { Database } from 'better-sqlite3';
import { lastPresentDate, latestTomorrow, upTo } from '../../domain/futureDays.js';
import {
  descriptionFacts,
  descriptionIn,
  nameForm,
  type SourceDescription,
} from '../../domain/source/sourceDescription.js';
import { descriptionAfter } from '../../domain/source/sourceState.js';
import { feedText } from '../../domain/source/feed.js';
import { searched } from './sourceQueries.js';

/** Returns a function that inserts a new source. */
const sourceWriter = (db: Database) => {
  const insert = db.prepare(
    `insert into sources
       (id, tenant, facts, name, name_form, description, search_text, name_key, last_data_date, last_import_at,
        relearned_from, pending_request_id, pending_position, analysis, models_version, created_at, version)
     values ($id, $tenant, $facts, '', '', '', '', '', $to, $at, $relearnedFrom, $requestId, $position, $analysis, 0,
       $at, $revision)`,
  );
  return ({ stream, position, revision, at, data }: EventOf<'SourceCreated'>): void => {
    const {
      requestId,
      seed,
      coverage,
      covariates,
      tenant,
      relearnedFrom = null,
      specialDays,
      leftOutDays,
      calendarRules,
      ...facts
    } = data;
    const { collects } = facts;
    const analysis = JSON.stringify(
      collects ? { status: 'collecting' } : { status: 'pending', requestedAt: at },
    );
    const id = sourceOf(stream);
    const to = facts.reference.days === 0 ? '' : facts.reference.to;
    const pending = collects ? { requestId: null, position: null } : { requestId, position };
    const request = { relearnedFrom, ...pending };
    insert.run({ id, tenant, facts: JSON.stringify(facts), to, at, ...request, analysis, revision });
  };
};

/** Returns a function that stores the description of a source. */
const descriptionWriter = (db: Database) => {
  const set = db.prepare(
    `update sources set name = $name, name_form = $nameForm, description = $description, search_text = $searchText,
       name_key = $nameKey,
       feed_changes = feed_changes + (feed is not null or $feed is not null), feed = $feed
     where id = $id`,
  );
  const clearLabels = db.prepare('delete from source_labels where source_id = ?');
  const addLabel = db.prepare('insert into source_labels (source_id, key, value) values (?, ?, ?)');
  return (id: number, description: SourceDescription): void => {
    const { name, labels, place, feed } = description;
    const texts = [name, ...Object.entries(labels).map(label => label.join(':')), place?.address ?? ''];
    set.run({
      id,
      name,
      description: JSON.stringify(descriptionFacts(description)),
      nameForm: nameForm(name),
      searchText: searched(texts.join('\n')),
      nameKey: name.toLowerCase(),
      feed: feed && feedText(feed),
    });
    clearLabels.run(id);
    for (const [key, value] of Object.entries(labels)) addLabel.run(id, key, value);
  };
};

/** Last present date that an event brings data of; undefined for an event that brings none. */
const lastDateOf = (event: KnownEvent): string | undefined => {
  if (event.type === 'DaysImported')
    return event.data.part === event.data.parts ? (lastPresentDate(event) ?? '') : undefined;
  if (event.type !== 'PointsImported') return undefined;
  // Readings of a register that are far apart have filled slices only; interpolated ones are not in the event.
  const measured = event.data.days.filter(
    ({ observed, filled }) => observed.length + (filled?.length ?? 0) > 0,
  );
  return upTo(measured, latestTomorrow(event.at)).reduce((last, { date }) => (date > last ? date : last), '');
};

/** Returns a function that sets the last date when a day is taken back, whose row is still there. */
const takingBackNoter = (db: Database) => {
  const note = db.prepare(
    `update sources set last_data_date = coalesce((select max(date) from days
       where source_id = sources.id and date <= ? and not (kind = 'recent' and date = ?)),
       iif(facts ->> '$.reference.days' = 0, '', facts ->> '$.reference.to')) where id = ?`,
  );
  return ({ at, data: { sourceId, date } }: EventOf<'DayTakenBack'>): void =>
    void note.run(latestTomorrow(at), date, sourceId);
};

/** Returns a function that notes the imports of a batch that have taken effect: last date, and last instant. */
const importNoter = (db: Database) => {
  const note = db.prepare(
    'update sources set last_data_date = max(last_data_date, ?), last_import_at = ? where id = ?',
  );
  return (events: readonly KnownEvent[]): void => {
    const imports = new Map<number, { readonly date: string; readonly at: string }>();
    for (const event of events) {
      const sourceId = sourceOf(event.stream);
      // A source is created after the import of its reference days.
      if (event.type === 'SourceCreated') imports.delete(sourceId);
      const known = imports.get(sourceId);
      if (event.type === 'DayTakenBack' && known) imports.set(sourceId, { ...known, date: '' });
      const date = lastDateOf(event);
      if (date === undefined) continue;
      const before = known?.date ?? '';
      imports.set(sourceId, { date: date > before ? date : before, at: event.at });
    }
    for (const [sourceId, { date, at }] of imports) note.run(date, at, sourceId);
  };
};

/** Measurements of an analysis as clients see them. */
const analysisOf = (data: EventOf<'ModelsReset'>['data']): object => {
  const { requestId, assignments, models, calendar, cycles, checks, overrides, edited, ...measured } = data;
  return {
    ...measured,
    calendar: calendar && shownCalendar(calendar),
    ...(cycles && { cycles: cycles.map(shownCycle) }),
    modelCount: models.length,
    usedDays: assignments.length,
  };
};

/** Read model of sources, their labels and names. */
export const sourcesModel: ReadModel = {
  name: 'sources',
  version: 18,
  schema: `
    create table sources (
      id integer primary key,
      tenant text not null,
      facts text not null,
      name text not null,
      -- Names that differ but have the same form look the same.
      name_form text not null,
      description text not null,
      -- The text that a search reads, and the name that a list is sorted by: in lower case.
      search_text text not null,
      name_key text not null,
      -- The feed as a text that two sources have in common only if their feeds are the same.
      feed text,
      -- Number of events that may have changed which feed leads to the source.
      feed_changes integer not null default 0,
      -- Empty for a source that collects its reference, until it has data: its first ones may be of years before.
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
    create index sources_by_name on sources (tenant, name_form);
    create index sources_by_feed on sources (tenant, feed) where feed is not null;
    create index sources_by_feed_changes on sources (tenant, feed_changes) where feed_changes > 0;
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
    const noteTakingBack = takingBackNoter(db);
    const archive = db.prepare(
      `update sources set archived_at = ?, relearned_as = coalesce(?, relearned_as),
         feed_changes = feed_changes + (feed is not null)
       where id = ?`,
    );
    const analyse = db.prepare(
      'update sources set pending_request_id = ?, pending_position = ?, analysis = ? where id = ?',
    );
    const descriptionOf = cell<[number], string>(db, 'select description from sources where id = ?');
    const extend = db.prepare('update sources set facts = json_patch(facts, ?) where id = ?');
    const noteExtension = db.prepare(
      `update sources set analysis = json_set(analysis, '$.referenceExtendedAt', ?) where id = ?`,
    );
    const model = db.prepare('update sources set models_origin = ?, models_version = ? where id = ?');
    const setModelsVersion = db.prepare('update sources set models_version = ? where id = ?');
    const infer = db.prepare('update sources set inferred = ? where id = ?');
    const noteNaming = db.prepare('insert or ignore into source_namings (request_id) values (?)');
    const setAnalysis = (
      { stream, position }: KnownEvent,
      pending: string | null,
      status: AnalysisStatus,
      detail: object,
    ): void => {
      const analysis = JSON.stringify({ status, ...detail });
      analyse.run(pending, pending && position, analysis, sourceOf(stream));
    };
    return event => {
      const { stream } = event;
      switch (event.type) {
        case 'SourceCreated':
        case 'SourceDescribed':
          if (event.type === 'SourceCreated') create(event);
          describe(sourceOf(stream), descriptionIn(event.data));
          noteNaming.run(event.data.requestId);
          break;
        case 'SourceArchived':
          archive.run(event.at, event.data.relearnedAs ?? null, sourceOf(stream));
          break;
        case 'SourceRestored':
          archive.run(null, null, sourceOf(stream));
          noteNaming.run(event.data.requestId);
          break;
        case 'ModelsResetRequested': {
          const { requestId, modelCount } = event.data;
          setAnalysis(event, requestId, 'pending', { modelCount, requestedAt: event.at });
          break;
        }
        case 'ReferenceExtended': {
          const { requestId, referenceYear, reference, keepsModels } = event.data;
          extend.run(JSON.stringify({ referenceYear, reference }), sourceOf(stream));
          const before = descriptionOf(sourceOf(stream));
          if (before && event.data.minChange)
            describe(sourceOf(stream), descriptionAfter(descriptionIn(parsed(before)), event.data));
          if (keepsModels) noteExtension.run(event.at, sourceOf(stream));
          else setAnalysis(event, requestId, 'pending', { requestedAt: event.at });
          break;
        }
        case 'ModelsReset': {
          const calendar = event.data.calendar && shownCalendar(event.data.calendar);
          infer.run(calendar?.origin === 'inferred' ? JSON.stringify(calendar) : null, sourceOf(stream));
          setAnalysis(event, null, 'completed', { completedAt: event.at, ...analysisOf(event.data) });
          model.run('automatic', event.data.modelsVersion, sourceOf(stream));
          break;
        }
        case 'AnalysisFailed':
          setAnalysis(event, null, 'failed', { failedAt: event.at, ...event.data });
          break;
        case 'ModelsReplaced': {
          const { modelsVersion, restoredFrom } = event.data;
          const detail = { modelsVersion, ...(restoredFrom !== undefined && { restoredFrom }) };
          setAnalysis(event, null, 'completed', { completedAt: event.at, ...detail });
          model.run('custom', modelsVersion, sourceOf(stream));
          break;
        }
        case 'ModelAnomalyChanged':
          setModelsVersion.run(event.data.modelsVersion, sourceOf(stream));
          break;
        case 'DayTakenBack':
          noteTakingBack(event);
          break;
      }
    };
  },
  applyBatch: db => {
    const noteImports = importNoter(db);
    const touch = db.prepare('update sources set version = ? where id = ?');
    return events => {
      noteImports(events);
      for (const [stream, revision] of lastRevisions(events))
        if (stream.startsWith('source-')) touch.run(revision, sourceOf(stream));
    };
  },
};
