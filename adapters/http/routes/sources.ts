import Type, { type Static } from '../typebox.js';
import { wrongQuery } from '../../../application/requests/imports/faults.js';
import type { Service, Describing, Following, Clock } from '../../../application/requests/service.js';
import { inTurns } from '../../../application/ports/sharing/turns.js';
import { walkIdsMax } from '../../../application/requests/largeAnswers.js';
import type { ReadModels } from '../../../projections/readModels.js';
import {
  changingSourceSorts,
  sourceSorts,
  type SortKey,
  type SourceFilter,
} from '../../../projections/sources/sourceQueries.js';
import {
  wholeAnswer,
  type LargeParts,
  walkedPage,
  type WalkedList,
  type LargeService,
} from '../answers/largeAnswer.js';
import { sourceAsOf } from '../asOfQuery.js';
import {
  labelOf,
  labelFilter,
  allowDuplicateSchema,
  descriptionPatchSchema,
} from '../schemas/description.js';
import { ok, patch, route, type Call, type Route } from '../route.js';
import { asOfQuery, asOfSchema, sourceParams, object, text, flag } from '../schemas/common.js';
import { sourcePageSchema, sourceSchema } from '../schemas/source.js';
import { countedSource, shownSource, sourceRecord, sourceRecordOrArchived } from '../answers/sourceRecord.js';
import { changedSource, ownSourceOrArchived } from '../../../application/requests/access.js';
import {
  archiveSource,
  describeSource,
  restoreSource,
  relearnSource,
} from '../../../application/requests/useCases/changeSource.js';
import { checkedAnswer } from '../answers/alertChanges.js';
import { createdAnswer, createdAnswers } from './imports/creation.js';

const duplicateQuery = object({ allowDuplicate: allowDuplicateSchema });

/** Routes that change a source as a whole. */
export const sourceChangeRoutes = (
  service: Describing & Following & Clock & Pick<Service, 'environment' | 'followUps' | 'log'>,
): readonly Route[] => [
  route({
    at: 'PATCH /v1/source/{source_id}',
    operationId: 'describeSource',
    summary: 'Change the description of a source',
    scope: 'model',
    params: sourceParams,
    query: duplicateQuery,
    body: patch(descriptionPatchSchema),
    answers: ok('The source', sourceSchema),
    problems: ['descriptionInvalid', 'sourceNameTaken'],
    result: async call => {
      const setup = changedSource(service.models, call, call.params.source_id);
      const { allowDuplicate = false } = call.query;
      await describeSource(service, call, setup, { patch: call.body, allowDuplicate });
      return sourceRecord(service, call.actor, setup.id);
    },
  }),
  route({
    at: 'DELETE /v1/source/{source_id}',
    operationId: 'archiveSource',
    summary:
      'Archive a source: only the list with archived=true and the audit trail show it until it is restored',
    scope: 'model',
    params: sourceParams,
    answers: ok('The archived source', sourceSchema),
    result: async call => {
      const { id } = ownSourceOrArchived(service.models, call.actor, call.params.source_id);
      await archiveSource(service, call, id);
      return sourceRecordOrArchived(service, call.actor, id);
    },
  }),
  route({
    at: 'POST /v1/source/{source_id}/restore',
    operationId: 'restoreSource',
    summary: 'Restore an archived source; all recent days are checked again',
    scope: 'model',
    params: sourceParams,
    query: duplicateQuery,
    answers: {
      200: { description: 'The source; its recent days were checked', schema: sourceSchema },
      202: { description: 'The source; the check takes longer, see Location', schema: sourceSchema },
    },
    problems: ['sourceNameTaken', 'descriptionInvalid', 'tooManySources'],
    run: async call => {
      const setup = ownSourceOrArchived(service.models, call.actor, call.params.source_id);
      const checked = await restoreSource(service, call, setup, call.query.allowDuplicate ?? false);
      const record = sourceRecord(service, call.actor, setup.id);
      return checkedAnswer(checked, `/v1/source/${setup.id}`, record);
    },
  }),
  route({
    at: 'POST /v1/source/{source_id}/relearn',
    operationId: 'relearnSource',
    summary: 'Create a source from the last full year of recent days of this one, which is archived',
    scope: 'model',
    params: sourceParams,
    answers: createdAnswers,
    problems: ['recentTooShort', 'sourceRelearned'],
    run: async call => {
      const setup = ownSourceOrArchived(service.models, call.actor, call.params.source_id);
      return createdAnswer(service, call.actor, await relearnSource(service, call, setup));
    },
  }),
];

const pageMax = 500;
const textLengthMax = 100;

const listQuery = object({
  label: labelFilter,
  text: Type.Optional(
    text(
      'Part of the name, of a label `key:value` or of the address; upper and lower case are equal.',
      'gate',
      { minLength: 1, maxLength: textLengthMax },
    ),
  ),
  sort: Type.Optional(Type.Enum([...sourceSorts], { default: 'id', examples: ['name'] })),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      description: 'Ascending unless given; descending for lastData and openAlerts.',
      examples: ['asc'],
    }),
  ),
  archived: Type.Optional(flag('Archived sources instead of the others.', false)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageMax, default: pageMax, examples: [100] })),
  cursor: Type.Optional(text('nextCursor of an answer.', '12', { maxLength: 2000 })),
  asOf: asOfSchema,
});

/** Orders that show the most first unless asked otherwise. */
const descendingSorts: readonly string[] = ['lastData', 'openAlerts'];

/** End of a page, as the cursor of the next one: in the order of the ids, the last id. */
const cursorOf = (key: SortKey, id: number): string =>
  key === id ? String(id) : Buffer.from(JSON.stringify([key, id])).toString('base64url');

/**
 * The end of the page before.
 * @throws InvalidInput when the text is not a cursor
 */
const endOf = (cursor: string): { readonly key: SortKey; readonly id: number } => {
  if (/^\d{1,15}$/.test(cursor)) return { key: Number(cursor), id: Number(cursor) };
  try {
    const [key, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if ((typeof key === 'string' || typeof key === 'number') && Number.isSafeInteger(id))
      return { key, id: id as number };
  } catch {
    // A text that is not JSON is refused below.
  }
  throw wrongQuery('cursor', 'cursor', cursor, 'the nextCursor of an answer');
};

type ListCall = Call<unknown, Static<typeof listQuery>, undefined>;

const filterOf = ({ actor: { tenant }, query }: ListCall): Omit<SourceFilter, 'limit'> => {
  const { label = [], text, sort = 'id', order, archived } = query;
  const isDescending = order === undefined ? descendingSorts.includes(sort) : order === 'desc';
  return { tenant, labels: label.map(labelOf), text, sort, isDescending, isArchived: archived === true };
};

/** Sources in an order that never changes: pages after the last source of the page before. */
const keyedPage = ({ sources }: ReadModels, call: ListCall) => {
  const { limit = pageMax, cursor } = call.query;
  const after = cursor === undefined ? undefined : endOf(cursor);
  const found = sources.keys({ ...filterOf(call), after, limit: limit + 1 });
  const listed = found.slice(0, limit);
  const last = listed.at(-1);
  const next = found.length > limit && last ? { nextCursor: cursorOf(last.key, last.id) } : {};
  return { ids: listed.map(({ id }) => id), ...next };
};

/** Sources in an order by a key that imports, checks and people change. */
const walkOf = ({ service: { models } }: LargeParts, call: ListCall): WalkedList<number> => {
  const filter = filterOf(call);
  return {
    name: 'sources',
    ids: () => models.sources.keys({ ...filter, limit: walkIdsMax + 1 }).map(({ id }) => id),
    fitting: ids => models.sources.fitting(filter, ids),
  };
};

/** Routes that read sources. */
export const sourceRoutes = (service: LargeService & Pick<Service, 'walks'>): readonly Route[] => [
  route({
    at: 'GET /v1/source/list',
    operationId: 'listSources',
    summary: 'List the sources of the tenant',
    scope: 'read',
    query: listQuery,
    answers: ok('A page of sources', sourcePageSchema),
    problems: ['cursorExpired', 'listTooLong'],
    run: call =>
      wholeAnswer(
        service,
        call,
        () => service.models.sources.ids(call.actor.tenant),
        async parts => {
          const then = parts.service;
          const { sort = 'id', limit = pageMax } = call.query;
          const { ids, ...next } = changingSourceSorts.includes(sort)
            ? await walkedPage({ ...parts, walks: service.walks }, call, walkOf(parts, call), limit)
            : keyedPage(then.models, call);
          const one = (id: number) => {
            const source = countedSource(then, id);
            return source && shownSource(then, source);
          };
          return { status: 200, body: { sources: inTurns(ids, one, parts.yieldToEventLoop), ...next } };
        },
      ),
  }),
  route({
    at: 'GET /v1/source/{source_id}',
    operationId: 'getSource',
    summary: 'Get a source, with the state of its analysis',
    scope: 'read',
    params: sourceParams,
    query: asOfQuery,
    answers: ok('The source', sourceSchema),
    result: async call => {
      const { source_id: id } = call.params;
      const serviceThen = await sourceAsOf(service, call, id);
      return sourceRecord(serviceThen, call.actor, id);
    },
  }),
];
