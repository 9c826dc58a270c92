import type { Statement } from 'better-sqlite3';
import { decode, type Recorded } from '../../../../domain/events.js';
import { streams } from '../../../../domain/streams.js';
import { SettingsError } from '../../../settings/settingsError.js';
import { Database } from '../../../sqlite/driver.js';
import { guarded } from '../../../sqlite/database.js';
import { openReadOnly } from '../../../sqlite/readOnly.js';
import { plain } from '../../terminal/text.js';

/** The last revision read from each stream of a source; −1 for none. */
export type Revisions = {
  readonly source: number;
  readonly days: number;
  readonly alerts: number;
  /** For the sources that explain it; absent without any, and in bundles that did not use them. */
  readonly covariates?: readonly CovariateRevisions[];
};

export type CovariateRevisions = Pick<Revisions, 'source' | 'days'> & { readonly sourceId: number };

/** Events of a source and of its covariates, in log order. */
export type StoreEvents = { readonly events: readonly Recorded[]; readonly covariateIds: readonly number[] };

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
export const storeEvents = (file: string, sourceId: number, until?: Revisions): StoreEvents =>
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

const recorded = (row: Row): Recorded => ({
  ...row,
  revision: Number(row.revision),
  v: Number(row.v),
  data: JSON.parse(row.data) as unknown,
  metadata: JSON.parse(row.metadata) as Recorded['metadata'],
});

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
export const otherSources = (file: string): string => {
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
