import Type from '../typebox.js';
import { changedSource } from '../../../application/access/access.js';
import { InvalidInput, type InputFault } from '../../../application/imports/faults.js';
import type { Service } from '../../../application/service.js';
import { replaceModels } from '../../../application/useCases/models/replaceModels.js';
import { resetModels } from '../../../application/useCases/models/resetModels.js';
import { acceptedLengths } from '../../../domain/day.js';
import type { ModelDraft } from '../../../domain/planning/models.js';
import { sourceAsOf } from '../asOfQuery.js';
import { Problem } from '../problem.js';
import { route, type Route } from '../route.js';
import { asOfQuery, sourceIdSchema, sourceParams, strict } from '../schemas/common.js';
import {
  coverageSchema,
  customModelsSchema,
  modelCountSchema,
  modelListSchema,
} from '../schemas/models/model.js';
import { keepPlanningSchema } from '../schemas/models/modelsPreview.js';
import { modelsChangeAnswers } from '../schemas/changes.js';
import { inPlace } from '../answers/largeAnswer.js';
import { modelsChangeAnswer } from '../answers/modelsChangeAnswer.js';

/** 64 models of three arrays of 1440 numbers with 17 digits. */
const customModelsBytesMax = 8_000_000;

export const modelRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/model/list/{source_id}',
    operationId: 'listModels',
    summary: 'List the models of a source',
    scope: 'read',
    params: sourceParams,
    query: asOfQuery,
    body: { kind: 'none' },
    answers: {
      200: { description: 'The models by id, and the results of learning', schema: modelListSchema },
    },
    run: call =>
      inPlace(service, call, async () => {
        const { source_id: id } = call.params;
        const { models, planning } = (await sourceAsOf(service, call, id)).models;
        return { status: 200, body: { models: models.list(id), ...planning.learned(id) } };
      }),
  }),
  route({
    method: 'post',
    path: '/v1/model/bulk-replace/{source_id}',
    operationId: 'replaceModels',
    summary: 'Delete all models of a source and install custom ones; all recent days are checked again',
    scope: 'model',
    params: sourceParams,
    query: Type.Object({ keepPlanning: keepPlanningSchema }, strict),
    body: { kind: 'json', schema: customModelsSchema, bytesMax: customModelsBytesMax },
    answers: modelsChangeAnswers,
    problems: ['modelsInvalid'],
    run: async call => {
      const setup = changedSource(service.models, call, call.params.source_id);
      const drafts = call.body.models.map(({ id, days, limits, anomaly = false, ...model }) => ({
        ...model,
        anomaly,
      }));
      requireLengths(drafts);
      const { keepPlanning = true } = call.query;
      const { causeId, checked } = await replaceModels(service, call, setup, { drafts, keepPlanning });
      return modelsChangeAnswer(service, setup.id, { causeId, checked });
    },
  }),
  route({
    method: 'post',
    path: '/v1/model/reset/{source_id}/{model_count}',
    operationId: 'resetModels',
    summary: 'Delete all models of a source and learn new ones; all recent days are checked again',
    scope: 'model',
    params: Type.Object({ source_id: sourceIdSchema, model_count: modelCountSchema }, strict),
    query: Type.Object({ coverage: Type.Optional(coverageSchema), keepPlanning: keepPlanningSchema }, strict),
    body: { kind: 'none' },
    answers: modelsChangeAnswers,
    problems: ['overtaken', 'analysisFailed'],
    run: async call => {
      const { id: sourceId } = changedSource(service.models, call, call.params.source_id);
      const { coverage, keepPlanning = true } = call.query;
      const reset = { sourceId, modelCount: call.params.model_count, coverage, keepPlanning };
      const { end, causeId } = await resetModels(service, call, reset);
      requireLearned(end);
      return modelsChangeAnswer(service, sourceId, { causeId, checked: end === 'done' });
    },
  }),
];

/** @throws Problem when a reset brought no models */
const requireLearned = (end: Awaited<ReturnType<typeof resetModels>>['end']): void => {
  if (end === 'failed')
    throw new Problem('analysisFailed', 'the analysis failed; models that the source has stay in force');
  if (end === 'superseded')
    throw new Problem('overtaken', 'superseded by a newer reset or replacement of the models');
};

/**
 * Refuses models whose arrays do not have the length of an activity array.
 * @throws InvalidInput with a pointer to each
 */
const requireLengths = (models: readonly ModelDraft[]): void => {
  const wrong = models.flatMap(({ activity }, index): InputFault[] =>
    (acceptedLengths as readonly number[]).includes(activity.length)
      ? []
      : [
          {
            code: 'activityLength',
            pointer: `/models/${index}/activity`,
            detail: `got ${activity.length} values, expected ${acceptedLengths.join(', ')}`,
          },
        ],
  );
  if (wrong.length > 0) throw new InvalidInput('bodyInvalid', 'the body is not valid', wrong);
};
