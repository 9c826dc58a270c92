import type { Database } from 'better-sqlite3';
import { relearnProposer } from '../relearnProposals.js';
import { sourceLister, type SortKey, type SourceFilter } from './sourceLists.js';
import { sourceMemo } from './sourceMemo.js';
import {
  withCounts,
  setup,
  type SourceRow,
  type SourceSetup,
  type CountedSourceRow,
  type CountedSource,
} from './sourceRecords.js';

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
  const plain = db.prepare<[number], SourceRow>('select * from sources where id = ?');
  const version = db.prepare<[number], number>('select version from sources where id = ?').pluck();
  const keptSetup = sourceMemo<SourceSetup | undefined>(setupsMax);
  const one = db.prepare<[number], CountedSourceRow>(`${countedSources} where id = ?`);
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
  const proposing = (row: CountedSourceRow): CountedSource =>
    withCounts(row, row.archived_at === null ? propose(row.id, row.models_version) : null);
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
