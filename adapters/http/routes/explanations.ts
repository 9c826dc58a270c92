import Type from 'typebox';
import { explainAlert } from '../../../application/history/explainAlert.js';
import type { Service } from '../../../application/service.js';
import { ownAlert } from '../../../application/access.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';

const link = Type.Object(
  {
    eventId: Type.String(),
    stream: Type.String(),
    revision: Type.Integer({ minimum: 0 }),
    position: Type.String({ description: 'in the log' }),
    type: Type.String(),
    at: schemas.instant,
    by: Type.String({ description: 'the subject of the token, or reactor' }),
    cause: Type.String({ description: 'the event or the request that led to it' }),
    hash: schemas.nullable(Type.String({ description: 'as an export has it' })),
  },
  schemas.strict,
);

const parameters = Type.Object(
  {
    engine: Type.String({ description: 'name and version of what learned the models' }),
    seed: Type.Integer(),
    modelCount: Type.Integer(),
    bounds: schemas.bounds,
    choice: schemas.choice,
    hitRate: schemas.learned.hitRate,
    calendar: schemas.learned.calendar,
  },
  schemas.strict,
);

const explanation = Type.Object(
  {
    alert: schemas.alert,
    raised: link,
    check: Type.Object(
      {
        event: link,
        cause: link,
        knownTo: Type.String({ description: 'position: what the check saw is what reads answer as of it' }),
      },
      schemas.strict,
    ),
    import: schemas.nullable(
      Type.Object(
        { id: Type.String(), part: schemas.nullable(link), last: link },
        {
          ...schemas.strict,
          description:
            'the part that has the day, null for a date without data, and the last part, which made it effective; ' +
            'of a silence the last import before it, null for none',
        },
      ),
    ),
    planning: Type.Object(
      {
        ...schemas.planned.properties,
        event: schemas.nullable(link),
        specialDay: schemas.nullable(link),
      },
      { ...schemas.strict, description: 'when the day was checked, and the event that decided it' },
    ),
    plannedModel: schemas.nullable(schemas.model),
    models: schemas.nullable(
      Type.Object(
        {
          version: Type.Integer(),
          origin: Type.Enum(['automatic', 'custom']),
          event: link,
          request: schemas.nullable(link),
          parameters: schemas.nullable(parameters),
        },
        { ...schemas.strict, description: 'null for a source that had none' },
      ),
    ),
    reference: Type.Object(
      {
        events: Type.Array(link),
        plannedModelDates: Type.Array(schemas.date, {
          description: 'the reference days by which the planned model is planned',
        }),
        leftOut: schemas.leftOut,
      },
      schemas.strict,
    ),
    since: Type.Array(link, { description: 'what became of the alert' }),
    people: Type.Array(Type.String(), { description: 'everybody in these links' }),
  },
  schemas.strict,
);

export const explanationRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'get',
    path: '/v1/alert/{id}/explanation',
    operationId: 'explainAlert',
    summary:
      'Why the alert was raised: check, import, planning, models, reference and people, each with its event',
    scope: 'read',
    params: Type.Object({ id: schemas.alertId }, schemas.strict),
    query: schemas.noFields,
    body: { kind: 'none' },
    answers: { 200: { description: 'All that the alert rests on', schema: explanation } },
    run: async ({ actor, signal, params: { id } }) => {
      const alert = ownAlert(service.models, actor, id);
      return {
        status: 200,
        body: await explainAlert(service.log, service.asOf, alert, { tenant: actor.tenant, signal }),
      };
    },
  }),
];
