import { inTurns } from '../../../../application/ports/sharing/turns.js';
import { ownSource, ownSourceOrArchived } from '../../../../application/requests/access.js';
import { falseDiscovery, type FalseDiscovery } from '../../../../application/requests/falseDiscovery.js';
import type { Service } from '../../../../application/requests/service.js';
import { walkIdsMax } from '../../../../application/requests/largeAnswers.js';
import type { AlertFilter } from '../../../../projections/alertPages.js';
import {
  wholeAnswer,
  type LargeParts,
  idsInParts,
  walkedPage,
  type WalkedList,
  type LargeService,
} from '../../answers/largeAnswer.js';
import { Problem } from '../../problem.js';
import type { Answer, Call } from '../../route.js';
import * as alertQuery from './alertQuery.js';

type ListFilter = Omit<AlertFilter, 'after' | 'limit'>;

type ListCall = Call<
  unknown,
  {
    readonly sourceId?: number;
    readonly fdr?: number;
    readonly limit?: number;
    readonly cursor?: string;
    readonly asOf?: string;
  },
  unknown
>;

/** A criticity that no alert has. */
const criticityOfNone = 2;

/** @throws Problem `listTooLong` */
const discovered = async (
  { service: { models }, yieldToEventLoop }: LargeParts,
  filter: ListFilter,
  rate: number,
): Promise<FalseDiscovery> => {
  const found = await falseDiscovery(models, filter, rate, yieldToEventLoop);
  if (found) return found;
  const detail = `got more than ${walkIdsMax} days with an alert, expected at most as many for a list with fdr`;
  throw new Problem('listTooLong', `${detail}: ask for fewer sources or dates`);
};

const rankWalk = (
  { service: { models }, yieldToEventLoop }: LargeParts,
  filter: ListFilter,
): WalkedList<string> => ({
  name: 'alerts',
  ids: () => idsInParts(part => models.alerts.keys({ ...filter, ...part }), yieldToEventLoop),
  fitting: ids => models.alerts.fitting(filter, ids),
});

/** Alerts that change their place, or whether they are listed, when a check confirms an alert. */
export const walkedAlerts = (
  service: LargeService & Pick<Service, 'walks'>,
  call: ListCall,
  filter: ListFilter,
): Promise<Answer> => {
  const { tenant } = call.actor;
  const { sourceId, limit = alertQuery.limitDefault, fdr, cursor } = call.query;
  const sourceIds = (): readonly number[] =>
    sourceId === undefined
      ? service.models.sources.ids(tenant)
      : [ownSourceOrArchived(service.models, call.actor, sourceId).id];
  return wholeAnswer(service, call, sourceIds, async parts => {
    const { service: then, yieldToEventLoop } = parts;
    if (sourceId !== undefined) ownSource(then.models, call.actor, sourceId);
    // Later pages have the alerts that the first one chose.
    const chosen =
      fdr === undefined || cursor !== undefined ? undefined : await discovered(parts, filter, fdr);
    const criticityFrom = chosen && (chosen.criticityFrom ?? criticityOfNone);
    const list = rankWalk(parts, { ...filter, ...(criticityFrom !== undefined && { criticityFrom }) });
    const { ids, ...next } = await walkedPage({ ...parts, walks: service.walks }, call, list, limit);
    const alerts = inTurns(ids, then.models.alerts.one, yieldToEventLoop);
    return { status: 200, body: { alerts, ...next, ...(chosen && { falseDiscovery: chosen }) } };
  });
};
