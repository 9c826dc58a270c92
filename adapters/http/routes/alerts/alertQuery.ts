import Type from '../../typebox.js';
import { wrongQuery } from '../../../../application/requests/imports/faults.js';
import { alertStates, validAlertStates, parseAlertId } from '../../../../domain/alerts/alertsState.js';
import { dateSchema, sourceIdSchema, yearSchema, text } from '../../schemas/common.js';
import { labelFilter } from '../../schemas/description.js';
import { firstDateOf } from '../../../../domain/dates.js';
import { alertKinds, type AlertKind } from '../../../../domain/alerts/findings.js';
import {
  alertSorts,
  type AlertFilter,
  type AlertSort,
  type AlertRecord,
} from '../../../../projections/alertPages.js';
import { inTurns } from '../../../../application/ports/sharing/turns.js';
import { ownSource, ownSourceOrArchived } from '../../../../application/requests/access.js';
import { falseDiscovery, type FalseDiscovery } from '../../../../application/requests/falseDiscovery.js';
import type { Service } from '../../../../application/requests/service.js';
import { walkIdsMax } from '../../../../application/requests/largeAnswers.js';
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

// Query parameters of lists of alerts and of incidents, and lists of alerts.

const textMax = 100;
const limitMax = 500;
/** Records of a page unless the query has a limit. */
export const limitDefault = 100;

/** Parameters that choose sources and dates. */
export const places = {
  sourceId: Type.Optional(sourceIdSchema),
  label: labelFilter,
  year: Type.Optional(yearSchema),
  from: Type.Optional(dateSchema),
  to: Type.Optional(Type.String({ ...dateSchema, description: 'Exclusive.', examples: ['2026-04-01'] })),
};
export const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: limitMax, default: limitDefault, examples: [limitDefault] }),
);

export const state = Type.Optional(
  text(
    `${alertStates.join(', ')}, or unprocessed (open or acknowledged); several with commas. All but invalidated by ` +
      'default.',
    'unprocessed',
    { maxLength: textMax },
  ),
);
export const kind = Type.Optional(
  text(`${alertKinds.join(', ')}; several with commas.`, 'activity', { maxLength: textMax }),
);
export const sort = Type.Optional(Type.Enum([...alertSorts], { default: 'date' }));
export const order = Type.Optional(
  Type.Enum(['asc', 'desc'], {
    description: 'asc by default for the sort date, else desc.',
  }),
);

type Query = {
  readonly year?: number;
  readonly from?: string;
  readonly to?: string;
  readonly state?: string;
  readonly kind?: string;
  readonly sort?: AlertSort;
  readonly order?: 'asc' | 'desc';
};

const isText = (value: string | undefined): value is string => value !== undefined;

/** The states between the commas of a query. @throws InvalidInput for an unknown one */
export const listedStates = <State extends string>(text: string, known: readonly State[]) =>
  text.split(',').flatMap((name): readonly (State | 'open' | 'acknowledged')[] => {
    if (name === 'unprocessed') return ['open', 'acknowledged'];
    const state = known.find(other => other === name);
    if (state) return [state];
    throw wrongQuery('state', 'enum', name, `${known.join(', ')} or unprocessed`);
  });

const kindsOf = (text: string): readonly AlertKind[] =>
  text.split(',').map(name => {
    const known = alertKinds.find(other => other === name);
    if (known) return known;
    throw wrongQuery('kind', 'enum', name, alertKinds.join(', '));
  });

/**
 * The filter that a query asks for.
 * @throws InvalidInput for an unknown state or kind
 */
export const filterOf = ({
  year,
  from,
  to,
  state: states,
  kind: kinds,
  sort: by = 'date',
  order: direction = by === 'date' ? 'asc' : 'desc',
}: Query): Omit<AlertFilter, 'tenant' | 'sourceId' | 'after' | 'limit'> => {
  const later = [from, year === undefined ? undefined : firstDateOf(year)].filter(isText).sort();
  const sooner = [to, year === undefined ? undefined : firstDateOf(year + 1)].filter(isText).sort();
  return {
    from: later.at(-1),
    to: sooner[0],
    states: states === undefined ? validAlertStates : listedStates(states, alertStates),
    kinds: kinds === undefined ? undefined : kindsOf(kinds),
    sort: by,
    descending: direction === 'desc',
  };
};

/** Orders of alerts by a key that never changes. */
export type LastingSort = 'date' | 'raised';

/** Cursor of the page after an alert: its id, which contains its date, and when it was raised in that order. */
export const cursorOf = ({ id, raisedAt }: Pick<AlertRecord, 'id' | 'raisedAt'>, by: LastingSort): string =>
  by === 'date' ? id : `${id}~${raisedAt}`;

const instantPattern = /^\d{4}-\d\d-\d\dT[\d:.]{8,16}Z$/;

/**
 * Sort key and id in a cursor.
 * @throws InvalidInput for a cursor of another order
 */
export const after = (cursor: string, by: LastingSort): NonNullable<AlertFilter['after']> => {
  const [id = '', key, ...more] = cursor.split('~');
  const date = parseAlertId(id)?.date;
  if (date !== undefined && more.length === 0) {
    if (by === 'date' && key === undefined) return { id, key: date };
    if (by === 'raised' && key !== undefined && instantPattern.test(key)) return { id, key };
  }
  throw wrongQuery('cursor', 'cursor', cursor, 'the nextCursor of an answer in the same order');
};

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

/** The ids of the alerts that fit a filter, in its order, after a key. */
const alertIds = (
  { service: { models }, yieldToEventLoop }: LargeParts,
  filter: ListFilter,
  from?: AlertFilter['after'],
): AsyncGenerator<string> =>
  idsInParts(part => models.alerts.keys({ ...filter, ...part, after: part.after ?? from }), yieldToEventLoop);

/** The answer of a list from one state of the read models, which has the source of the query. */
const listAnswer = (
  service: LargeService,
  call: ListCall,
  make: (parts: LargeParts) => Promise<Answer>,
): Promise<Answer> => {
  const { sourceId } = call.query;
  const sourceIds = (): readonly number[] =>
    sourceId === undefined
      ? service.models.sources.ids(call.actor.tenant)
      : [ownSourceOrArchived(service.models, call.actor, sourceId).id];
  return wholeAnswer(service, call, sourceIds, parts => {
    if (sourceId !== undefined) ownSource(parts.service.models, call.actor, sourceId);
    return make(parts);
  });
};

/** Alerts in an order that never changes: pages after the last alert of the page before. */
export const keyedAlerts = (
  service: LargeService,
  call: ListCall,
  filter: ListFilter,
  sort: LastingSort,
): Promise<Answer> =>
  listAnswer(service, call, async parts => {
    const { limit = limitDefault, cursor } = call.query;
    const { alerts } = parts.service.models;
    const from = cursor === undefined ? undefined : after(cursor, sort);
    const ids: string[] = [];
    for await (const id of alertIds(parts, filter, from)) if (ids.push(id) > limit) break;
    const last = ids.length > limit ? alerts.one(ids[limit - 1]!) : undefined;
    const next = last && { nextCursor: cursorOf(last, sort) };
    const records = inTurns(ids.slice(0, limit), alerts.one, parts.yieldToEventLoop);
    return { status: 200, body: { alerts: records, ...next } };
  });

/** Alerts that change their place, or whether they are listed, when a check confirms an alert. */
export const walkedAlerts = (
  service: LargeService & Pick<Service, 'walks'>,
  call: ListCall,
  filter: ListFilter,
): Promise<Answer> =>
  listAnswer(service, call, async parts => {
    const { limit = limitDefault, fdr, cursor } = call.query;
    const { service: then, yieldToEventLoop } = parts;
    // Later pages have the alerts that the first one chose.
    const chosen =
      fdr === undefined || cursor !== undefined ? undefined : await discovered(parts, filter, fdr);
    const criticityFrom = chosen && (chosen.criticityFrom ?? criticityOfNone);
    const fitting = { ...filter, ...(criticityFrom !== undefined && { criticityFrom }) };
    const list: WalkedList<string> = {
      name: 'alerts',
      ids: () => alertIds(parts, fitting),
      fitting: ids => then.models.alerts.fitting(fitting, ids),
    };
    const { ids, ...next } = await walkedPage({ ...parts, walks: service.walks }, call, list, limit);
    const alerts = inTurns(ids, then.models.alerts.one, yieldToEventLoop);
    return { status: 200, body: { alerts, ...next, ...(chosen && { falseDiscovery: chosen }) } };
  });
