import type { Service } from '../../../application/service.js';
import { dayNumber, year as yearOf } from '../../../domain/dates.js';
import type { Answer } from '../route.js';
import { alertChanges } from './alertChanges.js';
import { checkedAnswer } from './checkedAnswer.js';
import { planningYear } from './planAnswer.js';
import { tomorrowOfSource } from './sourceRecord.js';

/** Answer to new models: the models, the planning of the last year with days, and the effect on alerts. */
export const modelsChangeAnswer = (
  service: Service,
  sourceId: number,
  { causeId, checked }: { readonly causeId: string; readonly checked: boolean },
): Answer => {
  const { models, days, planning } = service.models;
  const last = days.lastDate(sourceId, tomorrowOfSource(service, sourceId));
  const year = yearOf(dayNumber(last ?? '1970-01-01'));
  return checkedAnswer(checked, `/v1/source/${sourceId}`, {
    models: models.list(sourceId),
    ...planning.learned(sourceId),
    planning: planningYear(service, sourceId, year),
    overrides: planning.moved(sourceId),
    alerts: alertChanges(service, causeId),
  });
};
