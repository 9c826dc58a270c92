import Type from '../typebox.js';
import { changedSource, ownSource } from '../../../application/access/access.js';
import type { Service } from '../../../application/service.js';
import { fairQueue } from '../../../application/sharing/fairQueue.js';
import { changeModel } from '../../../application/useCases/models/changeModel.js';
import { previewModels, type ModelsPreview } from '../../../application/useCases/models/previewModels.js';
import { Problem } from '../problem.js';
import { route, smallBodyBytesMax, type Route } from '../route.js';
import { noFields, sourceIdSchema, strict } from '../schemas/common.js';
import { coverageSchema, modelCountSchema } from '../schemas/models/model.js';
import {
  changedModelSchema,
  keepPlanningSchema,
  modelPatchSchema,
  modelsPreviewSchema,
} from '../schemas/models/modelsPreview.js';
import { alertChanges, noAlertChanges } from '../answers/alertChanges.js';
import { checkedAnswer } from '../answers/checkedAnswer.js';

const modelParams = Type.Object(
  {
    source_id: sourceIdSchema,
    model_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [3] }),
  },
  strict,
);

/** Maximum previews that run at the same time, and that wait. */
const previewsMax = 2;
const waitingMax = 32;
/** Alerts of each kind in an answer. */
const alertsMax = 1000;

/** Routes that change one model, and the preview of a reset. */
export const modelChangeRoutes = (service: Service): readonly Route[] => [
  changeModelRoute(service),
  previewRoute(service),
];

const changeModelRoute = (service: Service): Route =>
  route({
    method: 'patch',
    path: '/v1/model/{source_id}/{model_id}',
    operationId: 'changeModel',
    summary: 'Change the name, colour or anomaly flag of a model; its profile and limits stay',
    scope: 'model',
    params: modelParams,
    query: noFields,
    body: { kind: 'patch', schema: modelPatchSchema, bytesMax: smallBodyBytesMax },
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
        const model = service.models.models.list(sourceId).find(({ id }) => id === modelId);
        if (!model) throw noModel(sourceId, modelId);
        return model;
      };
      // A retry may come after newer models: the request with a key is refused after `begin` only.
      if (!call.hasKey) find();
      const { causeId, checked } = await changeModel(service, call, setup, { modelId, change: call.body });
      const model = find();
      const alerts = causeId === undefined ? noAlertChanges : alertChanges(service, causeId);
      return checkedAnswer(checked, `/v1/source/${sourceId}`, { ...model, alerts });
    },
  });

const previewRoute = (service: Service): Route => {
  const previews = fairQueue({ atOnce: previewsMax, reserving: true, waitingMax, name: 'previews' });
  return route({
    method: 'post',
    path: '/v1/model/preview/{source_id}/{model_count}',
    operationId: 'previewModels',
    summary: 'Compute the effect of a reset of the models; nothing is stored',
    scope: 'model',
    params: Type.Object({ source_id: sourceIdSchema, model_count: modelCountSchema }, strict),
    query: Type.Object({ coverage: Type.Optional(coverageSchema), keepPlanning: keepPlanningSchema }, strict),
    body: { kind: 'none' },
    answers: { 200: { description: 'The computed effect of a reset', schema: modelsPreviewSchema } },
    run: async call => {
      const setup = ownSource(service.models, call.actor, call.params.source_id);
      const { coverage, keepPlanning = true } = call.query;
      const reset = { modelCount: call.params.model_count, coverage, keepPlanning };
      const preview = () => previewModels(service, call, setup, reset);
      return {
        status: 200,
        body: shownPreview(await previews.run(call.actor.tenant, preview, call.signal)),
      };
    },
  });
};

const shownPreview = ({ models, learned, overrides, alerts: { gained, kept, lost } }: ModelsPreview) => {
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
    models,
    ...learned,
    overrides,
    alerts: {
      gained: brief(gained),
      kept: brief(kept),
      lost: lost.slice(0, alertsMax),
      counts: { gained: gained.length, kept: kept.length, lost: lost.length },
    },
  };
};

const noModel = (sourceId: number, modelId: number): Problem =>
  new Problem('notFound', `source ${sourceId} has no model ${modelId}`);
