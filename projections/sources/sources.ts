import { lastRevisions, type KnownEvent } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import { describedAtCreation } from '../../domain/source/sourceFacts.js';
import { shownCalendar } from '../planning/calendarDays.js';
import type { ReadModel } from '../readModel.js';
import { sourceWriter, descriptionWriter, importNoter, analysisOf } from './sourceWriters.js';
import type { AnalysisStatus } from './sourceRecords.js';

/** Read model of sources, their labels and names. */
export const sourcesModel: ReadModel = {
  name: 'sources',
  version: 8,
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
          create(event);
          describe(sourceOf(stream), describedAtCreation(event.data));
          noteNaming.run(event.data.requestId);
          break;
        case 'SourceDescribed': {
          const { requestId, ...description } = event.data;
          describe(sourceOf(stream), description);
          noteNaming.run(requestId);
          break;
        }
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
          const { modelsVersion } = event.data;
          setAnalysis(event, null, 'completed', { completedAt: event.at, modelsVersion });
          model.run('custom', modelsVersion, sourceOf(stream));
          break;
        }
        case 'ModelAnomalyChanged':
          setModelsVersion.run(event.data.modelsVersion, sourceOf(stream));
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
