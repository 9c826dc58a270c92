import Type from 'typebox';
import { ownSource } from '../../../application/access.js';
import { InvalidInput, type InputFault } from '../../../application/imports/faults.js';
import type { Service } from '../../../application/service.js';
import { replaceModels } from '../../../application/useCases/replaceModels.js';
import { resetModels } from '../../../application/useCases/resetModels.js';
import { year as yearOf, dayNumber } from '../../../domain/dates.js';
import { acceptedLengths } from '../../../domain/day.js';
import type { ModelDraft } from '../../../domain/models.js';
import { sourceAsOf } from '../asOfQuery.js';
import { Problem } from '../middleware/problems.js';
import { route, type Answer, type Route } from '../route.js';
import * as schemas from '../schemas.js';
import { alertChanges, planningYear } from '../views.js';

const sourceParams = Type.Object({ source_id: schemas.sourceId }, schemas.strict);
const changed = Type.Object(
  {
    models: Type.Array(schemas.model),
    ...schemas.learned,
    planning: schemas.planningYear,
    alerts: schemas.alertChanges,
  },
  schemas.strict,
);
const changedAnswers = {
  200: { description: 'The new models are in force and all recent days checked', schema: changed },
  202: { description: 'Accepted; it takes longer, the source at Location tells', schema: changed },
};
/** 64 models of three arrays of 1440 numbers with 17 digits. */
const bulkBytesMax = 8_000_000;

export const modelRoutes = (service: Service): readonly Route[] => {
  /** The models as they stand, the planning of the source's last year, and what the check did to alerts. */
  const answer = (sourceId: number, done: boolean, causeId: string): Answer => {
    const { models, days, planning } = service.models;
    const year = yearOf(dayNumber(days.lastDate(sourceId) ?? '1970-01-01'));
    return {
      status: done ? 200 : 202,
      headers: done ? {} : { Location: `/v1/source/${sourceId}` },
      body: {
        models: models.list(sourceId),
        ...planning.learned(sourceId),
        planning: planningYear(service, sourceId, year),
        alerts: alertChanges(service, causeId),
      },
    };
  };

  return [
    route({
      method: 'get',
      path: '/v1/model/list/{source_id}',
      operationId: 'listModels',
      summary: 'The models of a source',
      scope: 'read',
      params: sourceParams,
      query: schemas.knownAt,
      body: { kind: 'none' },
      answers: {
        200: {
          description: 'The models, by id, and what was learned beside them',
          schema: Type.Object({ models: Type.Array(schemas.model), ...schemas.learned }, schemas.strict),
        },
      },
      run: async call => {
        const { actor, params } = call;
        const then = await sourceAsOf(service, call, params.source_id);
        const { id } = ownSource(then.models, actor, params.source_id);
        const { models, planning } = then.models;
        return { status: 200, body: { models: models.list(id), ...planning.learned(id) } };
      },
    }),
    route({
      method: 'post',
      path: '/v1/model/bulk-replace/{source_id}',
      operationId: 'replaceModels',
      summary: 'Deletes all models of the source and installs these; all recent days are checked again',
      scope: 'model',
      params: sourceParams,
      query: schemas.noFields,
      body: { kind: 'json', schema: schemas.customModels, bytesMax: bulkBytesMax },
      answers: changedAnswers,
      run: async call => {
        const setup = ownSource(service.models, call.actor, call.params.source_id);
        const drafts = call.body.models.map(model => ({ ...model, anomaly: model.anomaly ?? false }));
        requireLengths(drafts);
        const { causeId, checked } = await replaceModels(service, call, setup, drafts);
        return answer(setup.id, checked, causeId);
      },
    }),
    route({
      method: 'post',
      path: '/v1/model/reset/{source_id}/{model_count}',
      operationId: 'resetModels',
      summary: 'Deletes all models and learns model_count new ones; all recent days are checked again',
      scope: 'model',
      params: Type.Object({ source_id: schemas.sourceId, model_count: schemas.modelCount }, schemas.strict),
      query: Type.Object({ coverage: Type.Optional(schemas.coverage) }, schemas.strict),
      body: { kind: 'none' },
      answers: changedAnswers,
      run: async call => {
        const { id: sourceId } = ownSource(service.models, call.actor, call.params.source_id);
        const reset = { sourceId, modelCount: call.params.model_count, coverage: call.query.coverage };
        const { end, causeId } = await resetModels(service, call, reset);
        if (end === 'failed')
          throw new Problem(500, 'analysisFailed', 'the analysis failed; the models did not change');
        if (end === 'superseded')
          throw new Problem(409, 'overtaken', 'a newer reset or replacement of the models took its place');
        return answer(sourceId, end === 'done', causeId);
      },
    }),
  ];
};

/**
 * Refuses models whose arrays have a length that no activity array may have.
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
