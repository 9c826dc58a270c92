import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { StoodAlert } from '../../../analysis/tuning/compareAlerts.js';
import { parseAlertId, type Verdict } from '../../../domain/alerts.js';
import type { NamedDay } from '../../../domain/calendar.js';
import type { Day } from '../../../domain/day.js';
import { decode, streams, type KnownEvent, type Recorded } from '../../../domain/events.js';
import { readModels } from '../../../projections/readModels.js';
import { digestOf } from '../../decisions.js';
import { SettingsError, logFile } from '../../settings.js';
import { guarded } from '../../stores/database.js';
import { plain } from '../terminal/text.js';

/** Up to which revision each stream of a source was read, inclusive; −1 for nothing. */
export type Revisions = { readonly source: number; readonly days: number; readonly alerts: number };

/** What a source has come to. */
export type History = {
  readonly sourceId: number;
  readonly name: string;
  /** The code of the calendar that was named for it; null when it is to be inferred. */
  readonly calendar: string | null;
  readonly referenceYear: number;
  readonly specials: readonly NamedDay[];
  readonly revisions: Revisions;
  readonly reference: readonly Day[];
  /** As they stand, the last import of each date. */
  readonly recent: readonly Day[];
  /** By date: the last alert of each day that stands and is of the data that stand. */
  readonly stood: readonly StoodAlert[];
  /** Resolved alerts of data that a later import replaced: what was said of those says nothing of these. */
  readonly overtaken: number;
};

type Row = Omit<Recorded, 'revision' | 'v' | 'data' | 'metadata'> & {
  readonly revision: bigint;
  readonly v: bigint;
  readonly data: string;
  readonly metadata: string;
};

/**
 * A source of the embedded store, folded from its events by the service's own read models, in memory. The log is
 * opened for reading only and all of it is read in one transaction, so a service may go on working on it.
 * @param until read no further than these revisions; undefined for all that is there
 * @throws SettingsError when there is no such log or source; StoreUnavailable when it cannot be read
 */
export const readHistory = (folder: string, sourceId: number, until?: Revisions): History => {
  const file = statSync(folder, { throwIfNoEntry: false })?.isFile() ? folder : join(folder, logFile);
  if (!existsSync(file)) throw new SettingsError(`--from-store: there is no log in ${plain(folder)}`);
  const events = guarded(() => eventsOf(file, sourceId, until));
  const db = new Database(':memory:');
  try {
    const models = readModels(db);
    const last = events.at(-1);
    const known = events.flatMap(event => decode(event) ?? []);
    if (last) models.apply(known, last);
    const source = models.sources.setup(sourceId);
    if (!source) throw new SettingsError(`--source: the log has no source ${sourceId}${sourcesThere(file)}`);
    const recent = models.days
      .recentDates(sourceId)
      .flatMap(date => models.days.recent(sourceId, date) ?? [])
      .map(bare);
    const revisionOf = (stream: string): number =>
      known.reduce((most, event) => (event.stream === stream ? event.revision : most), -1);
    return {
      sourceId,
      name: source.name,
      calendar: source.calendar,
      referenceYear: source.referenceYear,
      specials: models.planning.specialDays(sourceId),
      revisions: {
        source: revisionOf(streams.source(sourceId)),
        days: revisionOf(streams.days(sourceId)),
        alerts: revisionOf(streams.alerts(sourceId)),
      },
      reference: models.days.reference(sourceId).map(bare),
      recent,
      ...alertsOf(known, new Map(recent.map(day => [day.date, digestOf(day)]))),
    };
  } finally {
    db.close();
  }
};

const bare = ({ date, activity, gaps, filled }: Day): Day => ({ date, activity, gaps, filled });

/** A log up to this size is read as a whole when nobody works on it. */
const wholeBytesMax = 500_000_000;

/**
 * Opens a log for reading only. SQLite needs two files beside one that others may be writing, and would leave them
 * behind; where they are not there nobody is, and a copy in memory leaves no trace and needs no right to write.
 */
const openLog = (file: string): Database.Database => {
  const copy = copyOf(file);
  return copy ? new Database(copy) : new Database(file, { readonly: true, fileMustExist: true });
};

const copyOf = (file: string): Buffer | undefined => {
  const before = statSync(file);
  const isAlone = (): boolean => !existsSync(`${file}-wal`);
  if (!isAlone() || before.size > wholeBytesMax) return undefined;
  const bytes = readFileSync(file);
  const after = statSync(file);
  // A service that began meanwhile may have written to it.
  if (!isAlone() || after.mtimeMs !== before.mtimeMs || after.size !== before.size) return undefined;
  // Bytes 18 and 19 of the header say that there is a log of writes beside the file: in memory there is none.
  if (bytes.length > 19) bytes.fill(1, 18, 20);
  return bytes;
};

const eventsOf = (file: string, sourceId: number, until: Revisions | undefined): Recorded[] => {
  const db = openLog(file);
  try {
    const select = db
      .prepare<[string, number], Row>(
        `select position, id, stream, revision, type, v, at, data, metadata from events
         where stream = ? and revision <= ? order by revision`,
      )
      .safeIntegers();
    const limit = (revision: number | undefined): number => revision ?? Number.MAX_SAFE_INTEGER;
    const rows = db.transaction(() => [
      ...select.all(streams.source(sourceId), limit(until?.source)),
      ...select.all(streams.days(sourceId), limit(until?.days)),
      ...select.all(streams.alerts(sourceId), limit(until?.alerts)),
    ])();
    return rows
      .sort((a, b) => (a.position < b.position ? -1 : 1))
      .map(row => ({
        ...row,
        revision: Number(row.revision),
        v: Number(row.v),
        data: JSON.parse(row.data) as unknown,
        metadata: JSON.parse(row.metadata) as Recorded['metadata'],
      }));
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR')
      throw new SettingsError(`--from-store: ${plain(file)} is no log of Daybook`);
    throw error;
  } finally {
    db.close();
  }
};

/** The sources that a log has, in words, for whoever asked for another. */
const sourcesThere = (file: string): string => {
  const db = guarded(() => openLog(file));
  try {
    const ids = db
      .prepare<[], string>(
        `select stream from events where type = 'SourceCreated' order by position limit 21`,
      )
      .pluck()
      .all()
      .map(stream => stream.slice('source-'.length));
    if (ids.length === 0) return ', nor any other';
    return `, it has ${ids.slice(0, 20).join(', ')}${ids.length > 20 ? ' and more' : ''}`;
  } finally {
    db.close();
  }
};

type Standing = {
  readonly n: number;
  readonly date: string;
  readonly dayDigest: string;
  readonly verdict: Verdict | null;
  readonly resolved: boolean;
};

/** The alerts that stand, folded from their own events, since read models do not keep which data raised them. */
const alertsOf = (
  events: readonly KnownEvent[],
  digests: ReadonlyMap<string, string>,
): Pick<History, 'stood' | 'overtaken'> => {
  const alerts = new Map<string, Standing>();
  const change = (alertId: string, to: Pick<Standing, 'verdict' | 'resolved'>): void => {
    const alert = alerts.get(alertId);
    if (alert) alerts.set(alertId, { ...alert, ...to });
  };
  for (const { type, data } of events)
    switch (type) {
      case 'AlertRaised': {
        const { alertId, date, dayDigest } = data;
        const n = parseAlertId(alertId)?.n ?? 0;
        alerts.set(alertId, { n, date, dayDigest, verdict: null, resolved: false });
        break;
      }
      case 'AlertInvalidated':
        alerts.delete(data.alertId);
        break;
      case 'AlertResolved':
        change(data.alertId, { verdict: data.verdict, resolved: true });
        break;
      case 'AlertReopened':
        change(data.alertId, { verdict: null, resolved: false });
        break;
    }
  const ofThese = (alert: Standing): boolean => digests.get(alert.date) === alert.dayDigest;
  const all = [...alerts.values()];
  const last = new Map<string, Standing>();
  for (const alert of all.filter(ofThese).sort((a, b) => a.n - b.n)) last.set(alert.date, alert);
  return {
    stood: [...last.values()]
      .map(({ date, verdict }) => ({ date, verdict }))
      .sort((a, b) => (a.date < b.date ? -1 : 1)),
    overtaken: all.filter(alert => alert.resolved && !ofThese(alert)).length,
  };
};
