import Type, { type Static } from 'typebox';
import { InvalidInput } from '../../../application/imports/faults.js';
import type { Service } from '../../../application/service.js';
import { alertStates } from '../../../domain/alerts.js';
import { outcomes } from '../../../domain/findings.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { Model } from '../../../domain/models.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';

const daysMax = 92;
const daysUsual = 28;
/** Days after the newest data that the usual period shows: a week to come. */
const aheadDays = 7;
/** Sources whose planned models are answered in one request; each needs its planner. */
const plannedMax = 100;

const cell = Type.Object(
  {
    date: schemas.date,
    kind: Type.Enum(['reference', 'recent']),
    outcome: schemas.nullable(Type.Enum([...outcomes])),
    alert: Type.Optional(
      Type.Object(
        {
          id: schemas.alertId,
          kind: schemas.alert.properties.kind,
          state: Type.Enum([...alertStates]),
          criticity: Type.Number({ minimum: 0, maximum: 1 }),
        },
        schemas.strict,
      ),
    ),
  },
  schemas.strict,
);
const plannedCell = Type.Object(
  { date: schemas.date, modelId: Type.Integer(), name: Type.String(), color: Type.String() },
  schemas.strict,
);
const overviewSource = Type.Object(
  {
    id: schemas.sourceId,
    name: Type.String(),
    analysis: Type.Enum(['pending', 'running', 'completed', 'failed']),
    lastDate: schemas.nullable(schemas.date),
    openAlerts: Type.Integer({ description: 'alerts that are open or acknowledged' }),
    criticity: schemas.nullable(Type.Number({ description: 'highest of the open alerts, 0–1' })),
    days: Type.Array(cell, { description: 'days with data, by date' }),
    planned: Type.Optional(
      Type.Array(plannedCell, {
        description: 'planned models of the dates after the newest data of all sources',
      }),
    ),
  },
  schemas.strict,
);
const overview = Type.Object(
  {
    from: schemas.date,
    to: Type.String({ format: 'date', description: 'exclusive' }),
    sources: Type.Array(overviewSource),
  },
  schemas.strict,
);

/** Ids between commas. @throws InvalidInput */
const idsOf = (text: string): number[] => {
  const ids = text.split(',').map(Number);
  if (ids.length <= plannedMax && ids.every(id => Number.isSafeInteger(id) && id > 0)) return ids;
  throw new InvalidInput('parametersInvalid', 'the query is not valid', [
    {
      code: 'sourceIds',
      pointer: '/query/sourceIds',
      detail: `expected 1 to ${plannedMax} ids between commas`,
    },
  ]);
};

/** Planned models of the dates from `from` (inclusive) to `to` (exclusive). */
const plannedBetween = (
  { models: { planning, models } }: Service,
  sourceId: number,
  from: string,
  to: string,
): Static<typeof plannedCell>[] => {
  const byId = new Map(models.list(sourceId).map((model): [number, Model] => [model.id, model]));
  const count = dayNumber(to) - dayNumber(from);
  return Array.from({ length: Math.max(0, count) }, (_, index) => dateOf(dayNumber(from) + index)).flatMap(
    date => {
      const { modelId } = planning.day(sourceId, date);
      const model = modelId === null ? undefined : byId.get(modelId);
      return model ? [{ date, modelId: model.id, name: model.name, color: model.color }] : [];
    },
  );
};

export const overviewRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/overview',
    operationId: 'getOverview',
    summary: 'All sources with the outcomes of their last days, without values',
    scope: 'read',
    params: schemas.noFields,
    query: Type.Object(
      {
        to: Type.Optional(schemas.date),
        days: Type.Optional(Type.Integer({ minimum: 1, maximum: daysMax, default: daysUsual })),
        sourceIds: Type.Optional(
          Type.String({
            maxLength: 2000,
            description: `up to ${plannedMax} ids between commas: these alone, with what is planned after the newest data of all`,
          }),
        ),
      },
      schemas.strict,
    ),
    body: { kind: 'none' },
    answers: {
      200: {
        description:
          'The sources by id, with their days of the period; its end, when not given, is a week after the newest data',
        schema: overview,
      },
    },
    run: async ({ actor: { tenant }, query: { to: end, days = daysUsual, sourceIds }, signal }) => {
      const { models, turns } = service;
      const all = models.sources.ids(tenant);
      const lastDates = new Map(all.map(id => [id, models.days.lastDate(id)]));
      const newest = [...lastDates.values()].reduce<string | undefined>(
        (last, date) => (date !== undefined && date > (last ?? '') ? date : last),
        undefined,
      );
      const to = end ?? dateOf(dayNumber(newest ?? service.now().slice(0, 10)) + 1 + aheadDays);
      const from = dateOf(dayNumber(to) - days);
      const asked = sourceIds === undefined ? undefined : new Set(idsOf(sourceIds));
      const ids = asked ? all.filter(id => asked.has(id)) : all;
      const yieldToEventLoop = turns.yielderFor(tenant, signal);
      const cells = models.overview.cells(ids, from, to);
      const open = models.overview.openAlerts(ids);
      const sources: Static<typeof overviewSource>[] = [];
      const tomorrow = newest === undefined ? from : dateOf(dayNumber(newest) + 1);
      const future = tomorrow > from ? tomorrow : from;
      for (const id of ids) {
        await yieldToEventLoop();
        const setup = models.sources.setup(id);
        if (!setup) continue;
        const lastDate = lastDates.get(id) ?? null;
        const status = setup.analysis.status;
        sources.push({
          id,
          name: setup.name,
          analysis: status === 'pending' && service.followUps.isAnalysing(id) ? 'running' : status,
          lastDate,
          openAlerts: open.get(id)?.count ?? 0,
          criticity: open.get(id)?.criticity ?? null,
          days: cells.get(id) ?? [],
          ...(asked && { planned: plannedBetween(service, id, future, to) }),
        });
      }
      return { status: 200, body: { from, to, sources } };
    },
  }),
];
