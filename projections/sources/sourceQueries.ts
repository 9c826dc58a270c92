import type { Database } from 'better-sqlite3';
import { relearnProposer } from '../relearnProposals.js';
import { sourceLister } from './sourceLists.js';
import type { SourceMemo } from './sourceMemo.js';
import {
  withCounts,
  setup,
  type SourceRow,
  type SourceSetup,
  type CountedSourceRow,
  type CountedSource,
} from './sourceRecords.js';

/** Queries on sources. */
export const sourceQueries = (db: Database, keptSetup: SourceMemo<SourceSetup | undefined>) => {
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
  const { keys, fitting } = sourceLister(db);
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
    /** One source of any tenant, with its counts. Recent days after tomorrow are no reason to learn it again. */
    one: (id: number, tomorrow: string): CountedSource | undefined => {
      const row = one.get(id);
      return (
        row && withCounts(row, row.archived_at === null ? propose(id, row.models_version, tomorrow) : null)
      );
    },
    keys,
    fitting,
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
