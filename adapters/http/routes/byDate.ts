import type { TSchema } from '../typebox.js';
import { changedSource, ownSource, ownSourceOrArchived } from '../../../application/access/access.js';
import type { Requester } from '../../../application/access/requester.js';
import type { Service } from '../../../application/service.js';
import type { PlanChange, SourceDate } from '../../../application/useCases/changePlan.js';
import { wholeAnswer, type LargeParts } from '../answers/largeAnswer.js';
import { route, type BodyKind, type BodyOf, type Route } from '../route.js';
import { asOfQuery, dateParams, noFields, yearParams } from '../schemas/common.js';
import { planChangeAnswers } from '../schemas/changes.js';
import { planAnswer } from '../answers/planAnswer.js';

type Names = Pick<Route, 'path' | 'operationId' | 'summary' | 'problems'>;

/**
 * A read of one year of a source, now or as of a moment.
 * @param read returns the body of the answer
 */
export const yearRoute = (
  service: Service,
  {
    description,
    schema,
    read,
    ...names
  }: Names & {
    readonly description: string;
    readonly schema: TSchema;
    /** Lists of the body may be async iterables. */
    readonly read: (parts: LargeParts, sourceId: number, year: number) => unknown;
  },
): Route =>
  route({
    method: 'get',
    ...names,
    scope: 'read',
    params: yearParams,
    query: asOfQuery,
    body: { kind: 'none' },
    answers: { 200: { description, schema } },
    run: async call => {
      const { source_id: sourceId, year } = call.params;
      return wholeAnswer(
        service,
        call,
        () => [ownSourceOrArchived(service.models, call.actor, sourceId).id],
        parts => {
          ownSource(parts.service.models, call.actor, sourceId);
          return { status: 200, body: read(parts, sourceId, year) };
        },
      );
    },
  });

/**
 * A change that may alter the plan of one date. The day of that date is checked again.
 * @param change runs the use case
 */
export const planChangeRoute = <Body extends BodyKind>(
  service: Service,
  {
    change,
    ...names
  }: Names & {
    readonly method: 'put' | 'delete';
    readonly body: Body;
    readonly change: (
      requester: Requester,
      date: SourceDate,
      body: NoInfer<BodyOf<Body>>,
    ) => Promise<PlanChange>;
  },
): Route =>
  route({
    ...names,
    scope: 'planning',
    params: dateParams,
    query: noFields,
    answers: planChangeAnswers,
    run: async call => {
      const { id: sourceId } = changedSource(service.models, call, call.params.source_id);
      const place = { sourceId, date: call.params.date };
      return planAnswer(service, call.actor, place, await change(call, place, call.body));
    },
  });
