import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { covariateSeries } from '../../../application/followUps/covariates.js';
import { Database } from '../../sqlite/driver.js';
import type { CheckedSource } from '../../../analysis/tuning/trial.js';
import type { ValidAlert } from '../../../analysis/tuning/tune.js';
import { isGrowth } from '../../../domain/alerts/alerts.js';
import { parseAlertId, type Verdict } from '../../../domain/alerts/alertsState.js';
import type { NamedDay } from '../../../domain/planning/calendar.js';
import type { Day } from '../../../domain/day.js';
import { staysWithNewModels } from '../../../domain/source/acceptedChanges.js';
import type { CovariateSeries } from '../../../domain/source/covariates.js';
import { EventDamaged, decode, type KnownEvent, type Recorded } from '../../../domain/events.js';
import { streams } from '../../../domain/streams.js';
import { damageAdvice, LogDamaged } from '../../../application/ports/eventStore.js';
import { readModels } from '../../../projections/readModels.js';
import { dayDigestOf } from '../../../application/followUps/checks/decideCheck.js';
import { SettingsError } from '../../settings/values.js';
import { logFile } from '../../settings/logAddress.js';
import { plain } from '../terminal/text.js';
import type { Statement } from 'better-sqlite3';
import { guarded } from '../../sqlite/database.js';
import { openReadOnly } from '../../sqlite/readOnly.js';

/** The last revision read from each stream of a source; −1 for none. */
export type Revisions = {
  readonly source: number;
  readonly days: number;
  readonly alerts: number;
  /** For the sources that explain it; absent without any, and in bundles that did not use them. */
  readonly covariates?: readonly CovariateRevisions[];
};

type CovariateRevisions = Pick<Revisions, 'source' | 'days'> & { readonly sourceId: number };

/** Events of a source and of its covariates, in log order. */
type StoreEvents = { readonly events: readonly Recorded[]; readonly covariateIds: readonly number[] };

type Row = Omit<Recorded, 'revision' | 'v' | 'data' | 'metadata'> & {
  readonly revision: bigint;
  readonly v: bigint;
  readonly data: string;
  readonly metadata: string;
};

/** Size up to which an unused log is copied into memory. */
const copyBytesMax = 500_000_000;

/**
 * Reads the events of a source, and those of the sources that explain it, in one transaction. `covariateIds` are the
 * latter, and the sources that they were learned again as.
 * @param until last revisions to read; undefined for all
 * @throws SettingsError when the file is not a log; StoreUnavailable when it cannot be read
 */
const storeEvents = (file: string, sourceId: number, until?: Revisions): StoreEvents =>
  guarded(() => {
    const db = openReadOnly(file, copyBytesMax);
    try {
      const select = db
        .prepare<[string, number], Row>(
          `select position, id, stream, revision, type, v, at, data, metadata from events
         where stream = ? and revision <= ? order by revision`,
        )
        .safeIntegers();
      return db.transaction(() => eventsIn(select, sourceId, until))();
    } catch (error) {
      if (error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR')
        throw new SettingsError(`--log: ${plain(file)} is not a log of Daybook`);
      throw error;
    } finally {
      db.close();
    }
  });

const eventsIn = (
  select: Statement<[string, number], Row>,
  sourceId: number,
  until: Revisions | undefined,
): StoreEvents => {
  const read = (stream: string, revision = Number.MAX_SAFE_INTEGER): Recorded[] =>
    select.all(stream, revision).map(recorded);
  const source = read(streams.source(sourceId), until?.source);
  const rest = [
    ...read(streams.days(sourceId), until?.days),
    ...read(streams.alerts(sourceId), until?.alerts),
  ];
  const known = until && new Map((until.covariates ?? []).map(one => [one.sourceId, one]));
  const covariateIds = known ? [...known.keys()] : explainedByOf(source);
  const others: Recorded[] = [];
  // A covariate that was learned again adds its successor to the list.
  for (const id of covariateIds) {
    const own = read(streams.source(id), known?.get(id)?.source);
    others.push(...own, ...read(streams.days(id), known?.get(id)?.days));
    if (!known) covariateIds.push(...successorsOf(own).filter(next => !covariateIds.includes(next)));
  }
  const events = [...source, ...rest, ...others].sort((a, b) => (a.position < b.position ? -1 : 1));
  return { events, covariateIds };
};

/** The event of a row. @throws LogDamaged */
const recorded = (row: Row): Recorded => {
  const { position, stream, type } = row;
  const [revision, v] = [row.revision, row.v].map(Number) as [number, number];
  try {
    const metadata = JSON.parse(row.metadata) as Recorded['metadata'];
    return { ...row, revision, v, data: JSON.parse(row.data) as unknown, metadata };
  } catch (error) {
    const damage = `position ${position}: ${(error as Error).message}`;
    const { message } = new EventDamaged({ type, stream, revision }, damage);
    throw new LogDamaged(`--log: ${message}; ${damageAdvice}`, { cause: error });
  }
};

/** Ids of the sources that explain a source, by the last event that describes it. */
const explainedByOf = (events: readonly Recorded[]): number[] =>
  events
    .flatMap(event => decode(event) ?? [])
    .reduce<number[]>(
      (ids, { type, data }) =>
        type === 'SourceCreated' || type === 'SourceDescribed' ? [...(data.explainedBy ?? [])] : ids,
      [],
    );

/** Ids of the sources that a source was learned again as. */
const successorsOf = (events: readonly Recorded[]): number[] =>
  events
    .flatMap(event => decode(event) ?? [])
    .flatMap(({ type, data }) => (type === 'SourceArchived' ? (data.relearnedAs ?? []) : []));

const sourcesListed = 20;

/** The end of a message about an unknown source: the ids of existing ones. */
const otherSources = (file: string): string => {
  const db = guarded(() => openReadOnly(file, copyBytesMax));
  try {
    const ids = db
      .prepare<[], string>(
        `select stream from events where type = 'SourceCreated' order by position limit ${sourcesListed + 1}`,
      )
      .pluck()
      .all()
      .map(stream => stream.slice('source-'.length));
    if (ids.length === 0) return ' and no other';
    return `; it has ${ids.slice(0, sourcesListed).join(', ')}${ids.length > sourcesListed ? ' and more' : ''}`;
  } finally {
    db.close();
  }
};

/** The current state of a source; `accepted` has the changes that stay with new models. */
export type History = Required<CheckedSource> & {
  readonly sourceId: number;
  readonly name: string;
  /** Calendar code of the source; null when the calendar is inferred. */
  readonly calendar: string | null;
  readonly referenceYear: number;
  readonly specials: readonly NamedDay[];
  readonly revisions: Revisions;
  readonly reference: readonly Day[];
  /** The last import of each date that has ended. */
  readonly recent: readonly Day[];
  /** Dates in progress, whose values so far are no whole days. */
  readonly inProgress: readonly string[];
  /** The last valid alert of each recent day, if it was raised on the current data; by date. */
  readonly validAlerts: readonly ValidAlert[];
  /** Number of resolved alerts on data of recent days that were replaced later. Their verdicts are not used. */
  readonly overtaken: number;
  /** Present values of the sources that explain this one, from its first date to its last one. */
  readonly covariates: readonly CovariateSeries[];
};

/**
 * The state of a source in the embedded store: its events, applied to read models in memory. The log is read in one
 * transaction and never written, so a service may be using it.
 * @param until last revisions to read; undefined for all
 * @throws SettingsError when there is no such log, source or reference; StoreUnavailable when it cannot be read
 */
export const readHistory = (folder: string, sourceId: number, until?: Revisions): History => {
  const file = statSync(folder, { throwIfNoEntry: false })?.isFile() ? folder : join(folder, logFile);
  if (folder === 'eventstoredb')
    throw new SettingsError(
      '--log: got eventstoredb, expected a data folder; daybook copy-log makes one of it',
    );
  if (!existsSync(file)) throw new SettingsError(`--log: there is no log in ${plain(folder)}`);
  const { events, covariateIds } = storeEvents(file, sourceId, until);
  const db = new Database(':memory:');
  try {
    const models = readModels(db);
    const last = events.at(-1);
    const known = events.flatMap(event => decode(event) ?? []);
    if (last) models.apply(known, last);
    const source = models.sources.setup(sourceId);
    if (!source) throw new SettingsError(`--source: the log has no source ${sourceId}${otherSources(file)}`);
    const stored = models.days
      .recentDates(sourceId)
      .flatMap(date => models.days.recent(sourceId, date) ?? []);
    const recent = stored.filter(day => !day.inProgress).map(bare);
    const revisionOf = (stream: string): number =>
      known.reduce((most, event) => (event.stream === stream ? event.revision : most), -1);
    const revisionsOf = (id: number): Pick<Revisions, 'source' | 'days'> => ({
      source: revisionOf(streams.source(id)),
      days: revisionOf(streams.days(id)),
    });
    const leftOut = new Set(models.days.leftOut(sourceId).map(({ date }) => date));
    const reference = models.days
      .reference(sourceId)
      .filter(({ date }) => !leftOut.has(date))
      .map(bare);
    if (reference.length === 0)
      throw new SettingsError(
        `--source: source ${sourceId} collects its reference; tune it when it has its first models`,
      );
    // A bundle that used no covariates names none.
    const explainedBy = source.explainedBy.filter(id => covariateIds.includes(id));
    return {
      sourceId,
      name: source.name,
      calendar: source.calendar,
      referenceYear: source.referenceYear,
      specials: models.planning.specialDays(sourceId),
      floor: source.minChange,
      completeness: source.reference.completeness,
      accepted: models.acceptedChanges.ofSource(sourceId).filter(staysWithNewModels),
      revisions: {
        ...revisionsOf(sourceId),
        alerts: revisionOf(streams.alerts(sourceId)),
        ...(explainedBy.length > 0 && {
          covariates: covariateIds.map(id => ({ sourceId: id, ...revisionsOf(id) })),
        }),
      },
      reference,
      recent,
      inProgress: stored.filter(day => day.inProgress).map(({ date }) => date),
      covariates: covariateSeries(models, explainedBy, rangeOf([...reference, ...recent])),
      ...alertsOf(known, new Map(recent.map(day => [day.date, dayDigestOf(day)]))),
    };
  } finally {
    db.close();
  }
};

/** First and last date of days; neither has to be the first or the last of the list. */
const rangeOf = (days: readonly Day[]): { readonly from: string; readonly to: string } => {
  const dates = days.map(({ date }) => date).sort();
  return { from: dates[0] ?? '', to: dates.at(-1) ?? '' };
};

/** A day without other fields. */
const bare = ({ date, activity, gaps, filled, skipped }: Day): Day => ({
  date,
  activity,
  gaps,
  filled,
  ...(skipped ? { skipped } : {}),
});

/** An alert that no check has invalidated. */
type AlertHistory = {
  readonly n: number;
  readonly date: string;
  readonly dayDigest: string;
  readonly verdict: Verdict | null;
  readonly resolved: boolean;
};

/** The valid alerts, folded from their events: read models do not store the digest of an alert's data. */
const alertsOf = (
  events: readonly KnownEvent[],
  digests: ReadonlyMap<string, string>,
): Pick<History, 'validAlerts' | 'overtaken'> => {
  const alerts = new Map<string, AlertHistory>();
  const change = (alertId: string, to: Partial<AlertHistory>): void => {
    const alert = alerts.get(alertId);
    if (alert) alerts.set(alertId, { ...alert, ...to });
  };
  for (const { type, data } of events)
    switch (type) {
      case 'AlertRaised': {
        // A silence is about no data of a day.
        if (data.kind === 'noData') break;
        const { alertId, date, dayDigest } = data;
        const n = parseAlertId(alertId)?.n ?? 0;
        alerts.set(alertId, { n, date, dayDigest, verdict: null, resolved: false });
        break;
      }
      case 'AlertConfirmed':
        change(data.alertId, { dayDigest: data.dayDigest });
        break;
      case 'DaysChecked':
        // The alert of a day that grew by points, and still has a finding, is about its present data.
        for (const { outcome, standing, dayDigest } of isGrowth(data.cause) ? data.days : [])
          if (outcome === 'abnormal' || outcome === 'gap')
            for (const alertId of standing) change(alertId, { dayDigest });
        break;
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
  const isOnCurrentData = (alert: AlertHistory): boolean => digests.get(alert.date) === alert.dayDigest;
  const all = [...alerts.values()];
  const last = new Map<string, AlertHistory>();
  for (const alert of all.filter(isOnCurrentData).sort((a, b) => a.n - b.n)) last.set(alert.date, alert);
  return {
    validAlerts: [...last.values()]
      .map(({ date, verdict }) => ({ date, verdict }))
      .sort((a, b) => (a.date < b.date ? -1 : 1)),
    overtaken: all.filter(alert => alert.resolved && digests.has(alert.date) && !isOnCurrentData(alert))
      .length,
  };
};
