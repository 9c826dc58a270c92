import Type from '../typebox.js';
import { changedSource, ownSourceOrArchived } from '../../../application/access/access.js';
import type { Service } from '../../../application/service.js';
import { archiveSource, describeSource, restoreSource } from '../../../application/useCases/changeSource.js';
import { relearnSource } from '../../../application/useCases/relearnSource.js';
import { route, smallBodyBytesMax, type Route } from '../route.js';
import { noFields, sourceParams, strict } from '../schemas/common.js';
import { allowDuplicateSchema, descriptionPatchSchema } from '../schemas/description.js';
import { sourceSchema } from '../schemas/source.js';
import { sourceRecord, sourceRecordOrArchived } from '../answers/sourceRecord.js';
import { checkedAnswer } from '../answers/checkedAnswer.js';
import { createdAnswer, createdAnswers } from './imports/creation.js';

const duplicateQuery = Type.Object({ allowDuplicate: allowDuplicateSchema }, strict);

/** Routes that change a source as a whole. */
export const sourceChangeRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'patch',
    path: '/v1/source/{source_id}',
    operationId: 'describeSource',
    summary: 'Change the name, labels, place, expected import interval or covariates of a source',
    scope: 'model',
    params: sourceParams,
    query: duplicateQuery,
    body: { kind: 'patch', schema: descriptionPatchSchema, bytesMax: smallBodyBytesMax },
    answers: { 200: { description: 'The source', schema: sourceSchema } },
    problems: ['descriptionInvalid', 'sourceNameTaken'],
    run: async call => {
      const setup = changedSource(service.models, call, call.params.source_id);
      const { allowDuplicate = false } = call.query;
      await describeSource(service, call, setup, { patch: call.body, allowDuplicate });
      return { status: 200, body: sourceRecord(service, call.actor, setup.id) };
    },
  }),
  route({
    method: 'delete',
    path: '/v1/source/{source_id}',
    operationId: 'archiveSource',
    summary:
      'Archive a source: only the list with archived=true and the audit trail show it until it is restored',
    scope: 'model',
    params: sourceParams,
    query: noFields,
    body: { kind: 'none' },
    answers: { 200: { description: 'The archived source', schema: sourceSchema } },
    run: async call => {
      const { id } = ownSourceOrArchived(service.models, call.actor, call.params.source_id);
      await archiveSource(service, call, id);
      return { status: 200, body: sourceRecordOrArchived(service, call.actor, id) };
    },
  }),
  route({
    method: 'post',
    path: '/v1/source/{source_id}/restore',
    operationId: 'restoreSource',
    summary: 'Restore an archived source; all recent days are checked again',
    scope: 'model',
    params: sourceParams,
    query: duplicateQuery,
    body: { kind: 'none' },
    answers: {
      200: { description: 'The source; its recent days were checked', schema: sourceSchema },
      202: { description: 'The source; the check takes longer, see Location', schema: sourceSchema },
    },
    problems: ['sourceNameTaken'],
    run: async call => {
      const setup = ownSourceOrArchived(service.models, call.actor, call.params.source_id);
      const checked = await restoreSource(service, call, setup, call.query.allowDuplicate ?? false);
      const record = sourceRecord(service, call.actor, setup.id);
      return checkedAnswer(checked, `/v1/source/${setup.id}`, record);
    },
  }),
  route({
    method: 'post',
    path: '/v1/source/{source_id}/relearn',
    operationId: 'relearnSource',
    summary: 'Create a source from the last full year of recent days of this one, which is archived',
    scope: 'model',
    params: sourceParams,
    query: noFields,
    body: { kind: 'none' },
    answers: createdAnswers,
    problems: ['recentTooShort', 'sourceRelearned'],
    run: async call => {
      const setup = ownSourceOrArchived(service.models, call.actor, call.params.source_id);
      return createdAnswer(service, call.actor, await relearnSource(service, call, setup));
    },
  }),
];
