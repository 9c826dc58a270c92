import type { Database } from 'better-sqlite3';
import { tenantOf } from '../domain/streams.js';
import type { IssuedToken } from '../domain/tokens.js';
import { cell, parsed, record, type ReadModel } from './readModel.js';

/** A token that the service issued. `name` and `by` are sealed. */
export type TokenRecord = Omit<IssuedToken, 'isFirst'> & {
  readonly tenant: string;
  readonly by: string;
  /** null before. */
  readonly revokedAt: string | null;
};

/** Read model of tokens; all are kept, because a revoked token stays refused. */
export const tokensModel: ReadModel = {
  name: 'tokens',
  version: 1,
  schema: `
    create table tokens (
      jti text primary key,
      tenant text not null,
      name text not null,
      scopes text not null,
      issued_at text not null,
      expires_at text not null,
      author text not null,
      revoked_at text
    ) strict, without rowid;
    create index tokens_of_tenant on tokens (tenant, expires_at);`,
  apply: db => {
    const insert = db.prepare(
      `insert or ignore into tokens (jti, tenant, name, scopes, issued_at, expires_at, author)
       values (?, ?, ?, ?, ?, ?, ?)`,
    );
    const revoke = db.prepare('update tokens set revoked_at = ? where jti = ? and revoked_at is null');
    return event => {
      if (event.type === 'TokenIssued') {
        const { jti, name, scopes, issuedAt, expiresAt } = event.data;
        const tenant = tenantOf(event.stream);
        insert.run(jti, tenant, name, JSON.stringify(scopes), issuedAt, expiresAt, event.metadata.by);
      } else if (event.type === 'TokenRevoked') revoke.run(event.at, event.data.jti);
    };
  },
};

/** Columns with the names of a record. */
const columns = `jti, tenant, name, scopes, issued_at as issuedAt, expires_at as expiresAt, author as "by",
  revoked_at as revokedAt`;

type Row = Omit<TokenRecord, 'scopes'> & { readonly scopes: string };

const recordOf = (row: Row): TokenRecord => ({ ...row, scopes: parsed<readonly string[]>(row.scopes) });

/** Queries on tokens. */
export const tokenQueries = (db: Database) => {
  const one = db.prepare<[tenant: string, jti: string], Row>(
    `select ${columns} from tokens where tenant = ? and jti = ?`,
  );
  const list = db.prepare<[string, string], Row>(
    `select ${columns} from tokens where tenant = ? and expires_at > ? and revoked_at is null order by issued_at, jti`,
  );
  const revokedAt = cell<[string, string], string | null>(
    db,
    'select revoked_at from tokens where jti = ? and tenant = ?',
  );
  return {
    one: record(one, recordOf),
    /** Tokens of a tenant that are neither revoked nor expired at an instant, oldest first. */
    list: (tenant: string, now: string): TokenRecord[] => list.all(tenant, now).map(recordOf),
    /** When a token was revoked; undefined for one that was not, and for one that is not known. */
    revokedAt: (tenant: string, jti: string): string | undefined => revokedAt(jti, tenant) ?? undefined,
  };
};
