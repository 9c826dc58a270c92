import Type from 'typebox';
import { engine } from '../../../analysis/engine.js';
import { year as yearOf, dayNumber } from '../../../domain/dates.js';
import { acceptedLengths, resample } from '../../../domain/day.js';
import { streams } from '../../../domain/events.js';
import { modelFaults, type ModelDraft } from '../../../domain/models.js';
import { Rejection } from '../../../domain/rejection.js';
import { source } from '../../../domain/source.js';
import { eventId } from '../../../application/commandHandler.js';
import { InvalidInput, type InputFault } from '../../../application/imports/faults.js';
import { analysisSeed, verdictTimeoutMs, type Service } from '../../../application/service.js';
import { Problem } from '../middleware/problems.js';
import {
  alertChanges,
  checkedInTime,
  demandRoom,
  knowingSourceThen,
  noFields,
  originOf,
  ownSource,
  plannedYear,
} from '../resources.js';
import { route, type Answer, type Route } from '../route.js';
import * as schemas from '../schemas.js';

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
        planning: plannedYear(service, sourceId, year),
        alerts: alertChanges(service, causeId),
      },
    };
  };
  const isChecked = (causeId: string) => service.models.days.check(causeId).complete;

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
        const then = await knowingSourceThen(service, call, params.source_id);
        const { id } = ownSource(then, actor, params.source_id);
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
      query: noFields,
      body: { kind: 'json', schema: schemas.customModels, bytesMax: bulkBytesMax },
      answers: changedAnswers,
      run: async call => {
        const { id, activitySize, aggregation } = ownSource(service, call.actor, call.params.source_id);
        demandRoom(service, call.actor);
        const drafts = call.body.models.map(model => ({ ...model, anomaly: model.anomaly ?? false }));
        demandModels(drafts);
        const fitted = (curve: readonly number[]) => resample(curve, activitySize, aggregation);
        const models = drafts.map(model => ({
          ...model,
          activity: fitted(model.activity),
          topTolerance: fitted(model.topTolerance),
          bottomTolerance: fitted(model.bottomTolerance),
        }));
        const reference = service.models.days.reference(id);
        const assignments = await service.analyst.run({ kind: 'nearestModels', days: reference, models });
        const begun = await call.begin();
        const requestId = begun.id;
        const command = { type: 'ReplaceModels', requestId, models, engine, assignments } as const;
        const origin = originOf(service, call, begun);
        await service.handle(source, streams.source(id), command, origin);
        const causeId = eventId(streams.source(id), requestId, 0);
        await service.settled();
        return answer(id, await checkedInTime(service, causeId), causeId);
      },
    }),
    route({
      method: 'post',
      path: '/v1/model/reset/{source_id}/{model_count}',
      operationId: 'resetModels',
      summary: 'Deletes all models and learns model_count new ones; all recent days are checked again',
      scope: 'model',
      params: Type.Object({ source_id: schemas.sourceId, model_count: schemas.modelCount }, schemas.strict),
      query: Type.Object({ sensitivity: Type.Optional(schemas.sensitivity) }, schemas.strict),
      body: { kind: 'none' },
      answers: changedAnswers,
      run: async call => {
        const { id } = ownSource(service, call.actor, call.params.source_id);
        demandRoom(service, call.actor);
        const begun = await call.begin();
        const requestId = begun.id;
        const modelCount = call.params.model_count;
        const { sensitivity } = call.query;
        const command = {
          type: 'RequestModelsReset',
          requestId,
          modelCount,
          seed: analysisSeed,
          ...(sensitivity === undefined ? {} : { level: sensitivity }),
        } as const;
        const origin = originOf(service, call, begun);
        await service.handle(source, streams.source(id), command, origin);
        const requestedId = eventId(streams.source(id), requestId, 0);
        // The reactor appends ModelsReset under the id of the event that asked for it.
        const causeId = eventId(streams.source(id), `${requestedId}/analysis`, 0);
        await service.settled();
        const end = await service.waiting.until(() => {
          if (isChecked(causeId)) return 'done';
          const { pendingRequestId, analysis } = ownSource(service, call.actor, id);
          if (pendingRequestId === requestId || service.models.planning.setBy(id) === causeId)
            return undefined;
          return analysis.status === 'failed' && analysis['requestId'] === requestId ? 'failed' : 'overtaken';
        }, verdictTimeoutMs);
        if (end === 'failed')
          throw new Problem(500, 'analysisFailed', 'the analysis failed; the old models stay');
        if (end === 'overtaken')
          throw new Problem(
            409,
            'overtaken',
            'a newer reset or replacement of the models has taken its place',
          );
        return answer(id, end === 'done', causeId);
      },
    }),
  ];
};

/**
 * Refuses what the schema cannot: lengths that no day has, and what the rules of models say.
 * @throws InvalidInput, Rejection with a pointer to each fault
 */
const demandModels = (models: readonly ModelDraft[]): void => {
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
  const faults = modelFaults(models);
  if (faults.length > 0)
    throw new Rejection('modelsInvalid', 'the models break their rules', faults.slice(0, 100));
};
