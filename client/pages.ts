import type { AnswerOf, Methods, PathsOf, Alert, AuditEvent, Incident } from './requests.js';
import type { paths } from './openapi.js';
import { ProblemError } from './retries.js';

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
  readonly incidents: List<'/v1/incident/list', Incident>;
  /** Events of the audit trail. Each page that is read is itself recorded there. */
  readonly auditEvents: List<'/v1/audit/event', AuditEvent>;
};

/** A source with the state of its data and alerts. */
export type ListedSource = AnswerOf<'get', '/v1/source/list'>['sources'][number];

/** Records of the largest page. Events of imports are large: they come in smaller pages. */
const pageMax = 500;
const eventPage = 100;

/** Times that a list is begun again after the service has forgotten its order. */
const beginningsMax = 10;

const isExpired = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === 'cursorExpired';

/**
 * Records page by page: a page is requested when its first record is asked for. When the service no longer has the
 * order of the list (410), the list is begun again, without the records that were given already.
 * @param idOf identifies the records of a list whose order may be forgotten
 */
async function* records<Page extends { readonly nextCursor?: string | null }, One>(
  read: (cursor: { readonly cursor?: string }) => Promise<Page>,
  recordsOf: (page: Page) => readonly One[],
  idOf?: (record: One) => string | number,
): AsyncGenerator<One, void, undefined> {
  const given = new Set<string | number>();
  let beginnings = 1;
  for (let cursor: string | undefined; ;) {
    let page: Page;
    try {
      page = await read(cursor === undefined ? {} : { cursor });
    } catch (error) {
      if (!isExpired(error) || beginnings === beginningsMax) throw error;
      beginnings += 1;
      cursor = undefined;
      continue;
    }
    for (const record of recordsOf(page)) {
      const id = idOf?.(record);
      if (id !== undefined && given.has(id)) continue;
      if (id !== undefined) given.add(id);
      yield record;
    }
    cursor = page.nextCursor ?? undefined;
    if (cursor === undefined) return;
  }
}

/** Functions that read all pages of a list. */
export const listsOf = ({ get }: Methods): Lists => ({
  sources: (query, options) =>
    records(
      cursor =>
        get('/v1/source/list', { params: { query: { limit: pageMax, ...query, ...cursor } }, ...options }),
      ({ sources }) => sources,
      ({ id }) => id,
    ),
  alerts: (query, options) =>
    records(
      cursor =>
        get('/v1/alert/list', { params: { query: { limit: pageMax, ...query, ...cursor } }, ...options }),
      ({ alerts }) => alerts,
      ({ id }) => id,
    ),
  incidents: (query, options) =>
    records(
      cursor =>
        get('/v1/incident/list', { params: { query: { limit: pageMax, ...query, ...cursor } }, ...options }),
      ({ incidents }) => incidents,
      ({ id }) => id,
    ),
  auditEvents: (query, options) =>
    records(
      cursor =>
        get('/v1/audit/event', { params: { query: { limit: eventPage, ...query, ...cursor } }, ...options }),
      ({ events }) => events,
    ),
});
