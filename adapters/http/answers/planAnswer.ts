import type { Service } from '../../../application/service.js';
import { inTurns } from '../../../application/sharing/eventLoopYielder.js';
import type { PlanChange, SourceDate } from '../../../application/useCases/changePlan.js';
import { datesOfYear } from '../../../domain/dates.js';
import type { DayPlan } from '../../../domain/planning/planning.js';
import type { Actor } from '../middleware/tokens.js';
import type { Answer } from '../route.js';
import { alertChanges, unchangedAlerts } from './alertChanges.js';
import { checkedAnswer } from './checkedAnswer.js';
import type { LargeParts } from './largeAnswer.js';

/** A plan as clients see it: the calendar says which dates are working days. */
export const shownPlan = ({ working, dayType, ...plan }: DayPlan): Omit<DayPlan, 'working' | 'dayType'> =>
  plan;

/** Planning of a year, with its hit rate, made when it is written. */
export const plannedYear = (
  { service: { models }, yieldToEventLoop }: LargeParts,
  sourceId: number,
  year: number,
) => ({
  sourceId,
  year,
  hitRate: models.planning.learned(sourceId).hitRate,
  days: inTurns(datesOfYear(year), date => shownPlan(models.planning.day(sourceId, date)), yieldToEventLoop),
});

/** The same at once. */
export const planningYear = ({ models: { planning } }: Service, sourceId: number, year: number) => ({
  sourceId,
  year,
  hitRate: planning.learned(sourceId).hitRate,
  days: planning.year(sourceId, year).map(shownPlan),
});

/** Answer to a changed plan: the plan of the date, and the effect on its alerts. */
export const planAnswer = (
  service: Service,
  actor: Actor,
  { sourceId, date }: SourceDate,
  { causeId, checked }: PlanChange,
): Answer => {
  const alerts =
    causeId === undefined
      ? unchangedAlerts(service, actor, { sourceId, date })
      : alertChanges(service, causeId);
  const plan = shownPlan(service.models.planning.day(sourceId, date));
  return checkedAnswer(checked, `/v1/source/${sourceId}`, { ...plan, alerts });
};
