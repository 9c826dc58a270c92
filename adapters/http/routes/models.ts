import Type from '../typebox.js';
import { changedSource, ownSource } from '../../../application/requests/access.js';
import { type InputFault, bodyFault } from '../../../application/requests/imports/faults.js';
import type { Clock, Service, Deciding, Following } from '../../../application/requests/service.js';
import {
  replaceModels,
  resetModels,
  changeModel,
  restoreModels,
} from '../../../application/requests/useCases/changeModels.js';
import { Rejection } from '../../../domain/rejection.js';
import { acceptedLengths } from '../../../domain/day.js';
import { numberTexts } from '../../../domain/source/sourceDescription.js';
import type { ModelDraft } from '../../../domain/planning/models.js';
import { sourceAsOf, type AsOfService } from '../asOfQuery.js';
import { Problem } from '../problem.js';
import { json, ok, patch, route, type Route, type Answer } from '../route.js';
import { asOfQuery, sourceIdSchema, sourceParams, object } from '../schemas/common.js';
import { coverageSchema, customModelsSchema, modelCountSchema, modelListSchema } from '../schemas/model.js';
import {
  keepPlanningSchema,
  modelsChangeAnswers,
  changedModelSchema,
  modelPatchSchema,
  modelsPreviewSchema,
  modelsVersionSchema,
  versionsLimits,
  versionsQuery,
  versionsSchema,
} from '../schemas/modelChanges.js';
import { inPlace } from '../answers/largeAnswer.js';
import { dayNumber, year as yearOf } from '../../../domain/dates.js';
import { alertChanges, alertsMax, checkedAnswer, noAlertChanges } from '../answers/alertChanges.js';
import { planningYear } from '../answers/dayAnswer.js';
import { tomorrowOfSource } from '../answers/sourceRecord.js';
import { fairQueue } from '../../../application/ports/sharing/fairQueue.js';
import {
  previewModels,
  type ModelsPreview,
  presentLimitsOf,
} from '../../../application/requests/useCases/previewModels.js';
import { shownModel } from '../../../domain/planning/planTexts.js';
import { authorOf } from '../../../application/ports/people.js';

const modelParams = object({
  source_id: sourceIdSchema,
  model_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [3] }),
});

/** Maximum previews that run at the same time, and that wait. */
const previewsMax = 2;
const waitingMax = 32;

/** Routes that change one model, and the preview of a reset. */
export const modelChangeRoutes = (
  service: Deciding & Following & Clock & Pick<Service, 'analyst' | 'environment' | 'turns'>,
): readonly Route[] => [changeModelRoute(service), previewRoute(service)];

const changeModelRoute = (service: Deciding & Following & Pick<Service, 'analyst'>): Route =>
  route({
    at: 'PATCH /v1/model/{source_id}/{model_id}',
    operationId: 'changeModel',
    summary: 'Change the name, colour or anomaly flag of a model; its profile and limits stay',
    scope: 'model',
    params: modelParams,
    body: patch(modelPatchSchema),
    answers: {
      200: {
        description: 'The model; when its flag changed, all recent days were checked',
        schema: changedModelSchema,
      },
      202: { description: 'The model; the check takes longer, see Location', schema: changedModelSchema },
    },
    problems: ['notFound', 'modelsInvalid', 'modelsOutdated'],
    run: async call => {
      const { source_id: sourceId, model_id: modelId } = call.params;
      const setup = changedSource(service.models, call, sourceId);
      const find = () => {
        const model = service.models.typicalDays.list(sourceId).find(({ id }) => id === modelId);
        if (!model) throw noModel(sourceId, modelId);
        return model;
      };
      // A retry may come after newer models: the request with a key is refused after `begin` only.
      if (!call.hasKey) find();
      const changing = { modelId, change: call.body };
      const { causeId, checked } = await changeModel(service, call, setup, changing).catch(
        (error: unknown) => {
          throw error instanceof Rejection && error.code === 'modelNotFound'
            ? noModel(sourceId, modelId)
            : error;
        },
      );
      const model = find();
      const alerts = causeId === undefined ? noAlertChanges : alertChanges(service, causeId);
      return checkedAnswer(checked, `/v1/source/${sourceId}`, { ...shownModel(model), checked, alerts });
    },
  });

const previewRoute = (
  service: Deciding & Clock & Pick<Service, 'analyst' | 'environment' | 'turns'>,
): Route => {
  const previews = fairQueue({ atOnce: previewsMax, reserving: true, waitingMax, name: 'previews' });
  return route({
    at: 'POST /v1/model/preview/{source_id}/{model_count}',
    operationId: 'previewModels',
    summary: 'Compute the effect of a reset of the models; nothing is stored',
    scope: 'model',
    params: object({ source_id: sourceIdSchema, model_count: modelCountSchema }),
    query: object({ coverage: Type.Optional(coverageSchema), keepPlanning: keepPlanningSchema }),
    answers: ok('The computed effect of a reset', modelsPreviewSchema),
    problems: ['referenceCollecting'],
    result: async call => {
      const setup = ownSource(service.models, call.actor, call.params.source_id);
      const { coverage, keepPlanning = true } = call.query;
      const reset = { modelCount: call.params.model_count, coverage, keepPlanning };
      const preview = () => previewModels(service, call, setup, reset);
      return shownPreview(await previews.run(call.actor.tenant, preview, call.signal));
    },
  });
};

const shownPreview = ({
  models,
  learned,
  overrides,
  alerts: { gained, kept, lost },
  endedChanges,
}: ModelsPreview) => {
  const brief = (found: ModelsPreview['alerts']['gained']) =>
    found.slice(0, alertsMax).map(({ alertId, date, kind, direction, criticity, plannedModelId }) => ({
      alertId,
      date,
      kind,
      direction,
      criticity,
      plannedModelId,
    }));
  return {
    models: models.map(shownModel),
    ...learned,
    overrides,
    alerts: {
      gained: brief(gained),
      kept: brief(kept),
      lost: lost.slice(0, alertsMax),
      counts: { gained: gained.length, kept: kept.length, lost: lost.length },
    },
    endedChanges,
  };
};

const noModel = (sourceId: number, modelId: number): Problem =>
  new Problem('notFound', `source ${sourceId} has no model ${modelId}`);

/** Answer to new models: the models, the planning of the last year with days, and the effect on alerts. */
const modelsChangeAnswer = (
  service: Clock & Pick<Service, 'models'>,
  sourceId: number,
  { causeId, checked }: { readonly causeId: string; readonly checked: boolean },
): Answer => {
  const { typicalDays, days, planning } = service.models;
  const last = days.lastDate(sourceId, tomorrowOfSource(service, sourceId));
  const year = yearOf(dayNumber(last ?? '1970-01-01'));
  return checkedAnswer(checked, `/v1/source/${sourceId}`, {
    models: typicalDays.list(sourceId).map(shownModel),
    ...planning.learned(sourceId),
    planning: planningYear(service, sourceId, year),
    overrides: planning.moved(sourceId),
    checked,
    alerts: alertChanges(service, causeId),
  });
};

/** 64 models of three arrays of 1440 numbers with 17 digits. */
const customModelsBytesMax = 8_000_000;

/** Routes that read and replace the models of a source. */
export const modelRoutes = (
  service: AsOfService & Deciding & Following & Pick<Service, 'analyst' | 'largeAnswers'>,
): readonly Route[] => [
  route({
    at: 'GET /v1/model/list/{source_id}',
    operationId: 'listModels',
    summary: 'List the models of a source',
    scope: 'read',
    params: sourceParams,
    query: asOfQuery,
    answers: ok('The models by id, and the results of learning', modelListSchema),
    run: call =>
      inPlace(service, call, async () => {
        const { source_id: id } = call.params;
        const moment = await sourceAsOf(service, call, id);
        const { typicalDays, planning, sources } = moment.models;
        const source = sources.setup(id);
        const texts = source && numberTexts(source);
        const models = typicalDays.list(id).map(shownModel);
        const limits = presentLimitsOf(moment.models, id, tomorrowOfSource(moment, id));
        const learned = { ...planning.learned(id), ...(limits && { presentLimits: limits }) };
        return { status: 200, body: { models, ...texts, ...learned } };
      }),
  }),
  route({
    at: 'POST /v1/model/bulk-replace/{source_id}',
    operationId: 'replaceModels',
    summary: 'Replace all models of a source by supplied or edited ones; all recent days are checked again',
    scope: 'model',
    params: sourceParams,
    query: object({ keepPlanning: keepPlanningSchema }),
    body: json(customModelsSchema, customModelsBytesMax),
    answers: modelsChangeAnswers,
    problems: ['modelsInvalid', 'modelsOutdated'],
    run: async call => {
      const setup = changedSource(service.models, call, call.params.source_id);
      const supplied = call.body.models.map(({ id, days, limits, names, anomaly = false, ...model }) => ({
        draft: { ...model, anomaly },
        id,
        limits,
      }));
      requireLengths(supplied.map(({ draft }) => draft));
      const { keepPlanning = true } = call.query;
      const { causeId, checked } = await replaceModels(service, call, setup, { supplied, keepPlanning });
      return modelsChangeAnswer(service, setup.id, { causeId, checked });
    },
  }),
  route({
    at: 'POST /v1/model/reset/{source_id}/{model_count}',
    operationId: 'resetModels',
    summary: 'Delete all models of a source and learn new ones; all recent days are checked again',
    scope: 'model',
    params: object({ source_id: sourceIdSchema, model_count: modelCountSchema }),
    query: object({ coverage: Type.Optional(coverageSchema), keepPlanning: keepPlanningSchema }),
    answers: modelsChangeAnswers,
    problems: ['overtaken', 'analysisFailed', 'referenceCollecting'],
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
  if (wrong.length > 0) throw bodyFault(...wrong);
};

/** Versions of the models of a source, the latest first. */
const versionsRoute = (service: AsOfService): Route =>
  route({
    at: 'GET /v1/model/versions/{source_id}',
    operationId: 'listModelsVersions',
    summary: 'List the versions of the models of a source, the latest first',
    scope: 'read',
    params: sourceParams,
    query: versionsQuery,
    answers: ok('The versions, the latest first', versionsSchema),
    result: async call => {
      const { source_id: id } = call.params;
      const { limit = versionsLimits.default, cursor = Number.MAX_SAFE_INTEGER } = call.query;
      const { typicalDays } = (await sourceAsOf(service, call, id)).models;
      const found = typicalDays.versions(id, cursor, limit + 1);
      const versions = found.slice(0, limit).map(({ by, restoredFrom, ...version }) => ({
        ...version,
        ...authorOf(by),
        ...(restoredFrom !== null && { restoredFrom }),
      }));
      const last = versions.at(-1);
      const next = found.length > limit && last ? { nextCursor: String(last.modelsVersion) } : {};
      return { versions, ...next };
    },
  });

const restoreRoute = (service: Deciding & Following & Clock & Pick<Service, 'log'>): Route =>
  route({
    at: 'POST /v1/model/restore/{source_id}/{models_version}',
    operationId: 'restoreModels',
    summary: 'Go back to earlier models of a source; all recent days are checked again',
    scope: 'model',
    params: object({ source_id: sourceIdSchema, models_version: modelsVersionSchema }),
    query: object({ keepPlanning: keepPlanningSchema }),
    answers: modelsChangeAnswers,
    problems: ['modelsVersionNotFound', 'modelsCurrent'],
    run: async call => {
      const { source_id: sourceId, models_version: modelsVersion } = call.params;
      const { keepPlanning = true } = call.query;
      const { body, ...answer } = modelsChangeAnswer(
        service,
        sourceId,
        await restoreModels(service, call, { sourceId, modelsVersion, keepPlanning }),
      );
      return { ...answer, body: { ...(body as object), restoredFrom: modelsVersion } };
    },
  });

/** Routes of earlier models. */
export const earlierModelRoutes = (service: AsOfService & Deciding & Following): readonly Route[] => [
  versionsRoute(service),
  restoreRoute(service),
];
