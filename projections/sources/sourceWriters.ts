import type { Database } from 'better-sqlite3';
import type { EventOf, KnownEvent } from '../../domain/events.js';
import { lastPresentDate } from '../../domain/futureDays.js';
import { sourceOf } from '../../domain/streams.js';
import type { SourceDescription } from '../../domain/source/sourceDescription.js';
import { shownCalendar } from '../planning/calendarDays.js';

/** Returns a function that inserts a new source. */
export const sourceWriter = (db: Database) => {
  const insert = db.prepare(
    `insert into sources
       (id, tenant, facts, name, description, search_text, name_key, last_data_date, last_import_at,
        relearned_from, pending_request_id, pending_position, analysis, models_version, created_at, version)
     values ($id, $tenant, $facts, '', '', '', '', $to, $at, $relearnedFrom, $requestId, $position, $analysis, 0, $at, $revision)`,
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
export const descriptionWriter = (db: Database) => {
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

/** Returns a function that notes the imports of a batch that have taken effect: last date, and last instant. */
export const importNoter = (db: Database) => {
  const note = db.prepare(
    'update sources set last_data_date = max(last_data_date, ?), last_import_at = ? where id = ?',
  );
  return (events: readonly KnownEvent[]): void => {
    const imports = new Map<number, { readonly date: string; readonly at: string }>();
    for (const event of events) {
      // A source is created after the import of its reference days.
      if (event.type === 'SourceCreated') imports.delete(sourceOf(event.stream));
      if (event.type !== 'DaysImported' || event.data.part !== event.data.parts) continue;
      const { at, data } = event;
      const date = lastPresentDate(event) ?? '';
      const before = imports.get(data.sourceId)?.date ?? '';
      imports.set(data.sourceId, { date: date > before ? date : before, at });
    }
    for (const [sourceId, { date, at }] of imports) note.run(date, at, sourceId);
  };
};

/** Measurements of an analysis as clients see them. */
export const analysisOf = (data: EventOf<'ModelsReset'>['data']): object => {
  const { requestId, assignments, models, calendar, checks, overrides, ...measured } = data;
  return {
    ...measured,
    calendar: calendar && shownCalendar(calendar),
    modelCount: models.length,
    usedDays: assignments.length,
  };
};
