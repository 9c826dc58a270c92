import type { AnswerOf, Methods, PathsOf } from './methods.js';
import type { paths } from './openapi.js';
import type { Alert, AuditEvent, Episode } from './resources.js';

/** Parameters of the query of a read. */
export type QueryOf<Path extends PathsOf<'get'>> = NonNullable<
  paths[Path]['get'] extends { parameters: { query?: infer Query } } ? Query : never
>;

/** Iterates over all records of a list. */
export type List<Path extends PathsOf<'get'>, One> = (
  query?: Omit<QueryOf<Path>, 'cursor'>,
  options?: { readonly signal?: AbortSignal },
) => AsyncGenerator<One, void, undefined>;

/** Iterators over the lists that come in pages. */
export type Lists = {
  readonly sources: List<'/v1/source/list', ListedSource>;
  readonly alerts: List<'/v1/alert/list', Alert>;
  readonly episodes: List<'/v1/alert/episodes', Episode>;
  /** Events of the audit trail. Each page that is read is itself recorded there. */
  readonly auditEvents: List<'/v1/audit/event', AuditEvent>;
};

/** A source with the state of its data and alerts. */
export type ListedSource = AnswerOf<'get', '/v1/source/list'>['sources'][number];

/** Records of the largest page. Events of imports are large: they come in smaller pages. */
const pageMax = 500;
const eventPage = 100;

/** Records page by page: a page is requested when its first record is asked for. */
async function* records<Page extends { readonly nextCursor?: string | null }, One>(
  read: (cursor: { readonly cursor?: string }) => Promise<Page>,
  recordsOf: (page: Page) => readonly One[],
): AsyncGenerator<One, void, undefined> {
  for (let cursor: string | undefined; ;) {
    const page = await read(cursor === undefined ? {} : { cursor });
    yield* recordsOf(page);
    cursor = page.nextCursor ?? undefined;
    if (cursor === undefined) return;
  }
}

export const listsOf = ({ get }: Methods): Lists => ({
  sources: (query, options) =>
    records(
      cursor =>
        get('/v1/source/list', { params: { query: { limit: pageMax, ...query, ...cursor } }, ...options }),
      ({ sources }) => sources,
    ),
  alerts: (query, options) =>
    records(
      cursor =>
        get('/v1/alert/list', { params: { query: { limit: pageMax, ...query, ...cursor } }, ...options }),
      ({ alerts }) => alerts,
    ),
  episodes: (query, options) =>
    records(
      cursor =>
        get('/v1/alert/episodes', { params: { query: { limit: pageMax, ...query, ...cursor } }, ...options }),
      ({ episodes }) => episodes,
    ),
  auditEvents: (query, options) =>
    records(
      cursor =>
        get('/v1/audit/event', { params: { query: { limit: eventPage, ...query, ...cursor } }, ...options }),
      ({ events }) => events,
    ),
});
