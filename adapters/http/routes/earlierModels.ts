import Type from '../typebox.js';
import { authorOf } from '../../../application/ports/people.js';
import type { Service } from '../../../application/requests/service.js';
import { restoreModels } from '../../../application/requests/useCases/restoreModels.js';
import { sourceAsOf } from '../asOfQuery.js';
import { ok, route, type Route } from '../route.js';
import { sourceIdSchema, sourceParams, strict } from '../schemas/common.js';
import {
  keepPlanningSchema,
  modelsChangeAnswers,
  modelsVersionSchema,
  versionsLimits,
  versionsQuery,
  versionsSchema,
} from '../schemas/modelChanges.js';
import { modelsChangeAnswer } from './models.js';

/** Versions of the models of a source, the latest first. */
const versionsRoute = (service: Service): Route =>
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

const restoreRoute = (service: Service): Route =>
  route({
    at: 'POST /v1/model/restore/{source_id}/{models_version}',
    operationId: 'restoreModels',
    summary: 'Go back to earlier models of a source; all recent days are checked again',
    scope: 'model',
    params: Type.Object({ source_id: sourceIdSchema, models_version: modelsVersionSchema }, strict),
    query: Type.Object({ keepPlanning: keepPlanningSchema }, strict),
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
export const earlierModelRoutes = (service: Service): readonly Route[] => [
  versionsRoute(service),
  restoreRoute(service),
];
