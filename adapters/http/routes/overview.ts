import { analysisStatuses } from '../../../projections/sources/sourceRecords.js';
import Type, { type Static } from '../typebox.js';
import { wrongQuery } from '../../../application/requests/imports/faults.js';
import type { Clock, Service } from '../../../application/requests/service.js';
import { dateAfter, dateOf, dayNumber } from '../../../domain/dates.js';
import type { DayCell } from '../../../projections/overview.js';
import { lossTexts, type LossTexts } from '../../../domain/alerts/alertDetails.js';
import type { Model } from '../../../domain/planning/models.js';
import { shownModel } from '../../../domain/planning/planTexts.js';
import { ownSource } from '../../../application/requests/access.js';
import { wholeAnswer, type LargeParts, type LargeService } from '../answers/largeAnswer.js';
import { parkedMark, tomorrowOfSource } from '../answers/sourceRecord.js';
import { ok, route, type Route } from '../route.js';
import {
  asOfSchema,
  dateSchema,
  nullable,
  parkedMarkSchema,
  sourceIdSchema,
  named,
  flag,
  number,
  object,
  integer,
  text,
} from '../schemas/common.js';
import { outcomes } from '../../../domain/alerts/findings.js';
import { alertSchema } from '../schemas/alert.js';
import { modelSchema } from '../schemas/model.js';
import { describedFields } from '../schemas/description.js';

const { id, kind, state, criticity, severity, loss, losses } = alertSchema.properties;
const { names } = modelSchema.properties;

const overviewDaySchema = named('OverviewDay', {
  date: dateSchema,
  kind: Type.Enum(['reference', 'recent'], { examples: ['recent'] }),
  outcome: nullable(Type.Enum([...outcomes], { examples: ['abnormal'] })),
  inProgress: Type.Optional(flag('true while the date is in progress, else absent.', true)),
  elapsed: Type.Optional(
    number('Share of a date in progress that has elapsed, else absent.', 0.6, { minimum: 0, maximum: 1 }),
  ),
  alert: Type.Optional(object({ id, kind, state, criticity, severity, loss, losses })),
});

const plannedCellSchema = named('PlannedCell', {
  date: Type.String({ ...dateSchema, examples: ['2026-03-03'] }),
  modelId: Type.Integer({ examples: [3] }),
  name: Type.String({ examples: ['Monday–Friday'] }),
  names,
  color: Type.String({ examples: ['#0072B2'] }),
});

const overviewSourceSchema = named('OverviewSource', {
  id: sourceIdSchema,
  name: describedFields.name,
  labels: describedFields.labels,
  analysis: Type.Enum([...analysisStatuses], { examples: ['completed'] }),
  lastDate: nullable(dateSchema),
  openAlerts: integer('Open or acknowledged alerts.', 2),
  criticity: nullable(Type.Number({ examples: [0.82] }), {
    description: 'Highest criticity of these alerts, 0–1.',
  }),
  worst: nullable(named('WorstAlert', { id, date: dateSchema, criticity, severity, loss, losses }), {
    description:
      'The one of these alerts that lost most, of any date; those without a severity come after the others, by ' +
      'criticity.',
  }),
  silence: nullable(object({ id, date: dateSchema, state, criticity, severity, loss, losses }), {
    description: 'The open or acknowledged alert that no data come: the first date without data has it.',
  }),
  days: Type.Array(overviewDaySchema, { description: 'Days with data, by date.' }),
  parked: parkedMarkSchema,
  planned: Type.Optional(
    Type.Array(plannedCellSchema, {
      description: 'Planned models of the dates after the newest data of all sources.',
    }),
  ),
});

const overviewSchema = named('Overview', {
  from: Type.String({ ...dateSchema, examples: ['2026-02-10'] }),
  to: Type.String({ ...dateSchema, description: 'Exclusive.', examples: ['2026-03-10'] }),
  sources: Type.Array(overviewSourceSchema),
});

const daysMax = 92;
const daysUsual = 28;
/** Days after the newest data that the usual period shows: a week to come. */
const aheadDays = 7;
/** Sources whose planned models are answered in one request; each needs its planner. */
const plannedMax = 100;

/** Ids between commas. @throws InvalidInput */
const idsOf = (text: string): number[] => {
  const ids = text.split(',').map(Number);
  if (ids.length <= plannedMax && ids.every(id => Number.isSafeInteger(id) && id > 0)) return ids;
  throw wrongQuery('sourceIds', 'sourceIds', text, `1 to ${plannedMax} ids between commas`);
};

/** Planned models of the dates from `from` (inclusive) to `to` (exclusive). */
const plannedBetween = (
  { models: { planning, typicalDays } }: Pick<Service, 'models'>,
  sourceId: number,
  from: string,
  to: string,
): Static<typeof plannedCellSchema>[] => {
  const byId = new Map(typicalDays.list(sourceId).map((model): [number, Model] => [model.id, model]));
  const count = dayNumber(to) - dayNumber(from);
  return Array.from({ length: Math.max(0, count) }, (_, index) => dateOf(dayNumber(from) + index)).flatMap(
    date => {
      const { modelId } = planning.day(sourceId, date);
      const model = modelId === null ? undefined : byId.get(modelId);
      if (!model) return [];
      const { name, names, color } = shownModel(model);
      return [{ date, modelId: model.id, name, names, color }];
    },
  );
};

/** Routes of the overview of all sources of a tenant. */
export const overviewRoutes = (service: LargeService): readonly Route[] => [
  route({
    at: 'GET /v1/overview',
    operationId: 'getOverview',
    summary: 'List all sources with the outcomes of their last days, without values',
    scope: 'read',
    query: object({
      to: Type.Optional(dateSchema),
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: daysMax, default: daysUsual, examples: [daysUsual] }),
      ),
      sourceIds: Type.Optional(
        text(
          `Up to ${plannedMax} ids with commas: only these sources, with the planned models after the newest data of all.`,
          '12,13',
          { maxLength: 2000 },
        ),
      ),
      asOf: asOfSchema,
    }),
    problems: ['sourceNotFound'],
    answers: ok(
      'The sources by id, with their days of the period; its end, when not given, is a week after the newest data',
      overviewSchema,
    ),
    run: call =>
      wholeAnswer(
        service,
        call,
        () => service.models.sources.ids(call.actor.tenant),
        async parts => ({ status: 200, body: await overviewOf(parts, call.actor.tenant, call.query) }),
      ),
  }),
];

type Query = { readonly to?: string; readonly days?: number; readonly sourceIds?: string };

type OverviewSource = Static<typeof overviewSourceSchema>;

/** Awaited between steps of a long answer. */
type YieldToEventLoop = () => Promise<void> | undefined;

/** The dates of the newest data of sources up to tomorrow; none for a source without data. */
const lastDatesOf = async (
  service: Clock & Pick<Service, 'models'>,
  ids: readonly number[],
  yieldToEventLoop: YieldToEventLoop,
): Promise<Map<number, string>> => {
  const { models } = service;
  const dates = new Map<number, string>();
  for (const id of ids) {
    await yieldToEventLoop();
    // Rows of a parked source are old.
    const last = models.parked.source(id)
      ? undefined
      : models.days.lastDate(id, tomorrowOfSource(service, id));
    if (last !== undefined) dates.set(id, last);
  }
  return dates;
};

/** An alert with its loss in words. */
const withLoss = <Alert extends { readonly severity?: number }>(
  alert: Alert,
): Alert & Partial<LossTexts> => ({
  ...alert,
  ...lossTexts(alert.severity),
});

/** A day with the words of its alert, and with the share of its slices that have elapsed while it is in progress. */
const shownDay = (day: DayCell, size: number): OverviewSource['days'][number] => ({
  ...day,
  ...(day.elapsed !== undefined && { elapsed: day.elapsed / size }),
  ...(day.alert && { alert: withLoss(day.alert) }),
});

const noAlerts = { openAlerts: 0, criticity: null, worst: null, silence: null } as const;

/** Sources with their days from `from` (inclusive) to `to` (exclusive), without planned models. */
async function* sourcesBetween(
  { models, followUps }: Pick<Service, 'models' | 'followUps'>,
  { ids, from, to }: { readonly ids: readonly number[]; readonly from: string; readonly to: string },
  lastDates: ReadonlyMap<number, string>,
  yieldToEventLoop: YieldToEventLoop,
): AsyncGenerator<OverviewSource, void> {
  for (const id of ids) {
    await yieldToEventLoop();
    const setup = models.sources.setup(id);
    if (!setup) continue;
    const { status } = setup.analysis;
    const named = {
      id,
      name: setup.name,
      labels: setup.labels,
      analysis: status === 'pending' && followUps.isAnalysing(id) ? ('running' as const) : status,
      lastDate: lastDates.get(id) ?? null,
    };
    const parked = models.parked.source(id);
    if (parked) {
      yield { ...named, ...noAlerts, days: [], parked: parkedMark(parked) };
      continue;
    }
    const { days, open, silence } = models.overview.entry(id, from, to);
    yield {
      ...named,
      ...noAlerts,
      ...(open && { openAlerts: open.count, criticity: open.criticity, worst: withLoss(open.worst) }),
      ...(silence && { silence: withLoss(silence) }),
      days: days.map(day => shownDay(day, setup.activitySize)),
    };
  }
}

/**
 * The sources of a tenant with the outcomes of the days of a period, read when they are written.
 * @throws InvalidInput for wrong ids of sources; Rejection `sourceNotFound`
 */
const overviewOf = async (
  { service, yieldToEventLoop }: LargeParts,
  tenant: string,
  { to: end, days = daysUsual, sourceIds }: Query,
): Promise<
  Omit<Static<typeof overviewSchema>, 'sources'> & { readonly sources: AsyncIterable<OverviewSource> }
> => {
  const asked = sourceIds === undefined ? undefined : new Set(idsOf(sourceIds));
  // A parked source is in the answer, with its mark.
  for (const id of asked ?? [])
    if (service.models.parked.source(id)?.tenant !== tenant) ownSource(service.models, { tenant }, id);
  const all = service.models.sources.presentIds(tenant);
  const lastDates = await lastDatesOf(service, all, yieldToEventLoop);
  const newest = [...lastDates.values()].reduce<string | undefined>(
    (last, date) => (last === undefined || date > last ? date : last),
    undefined,
  );
  const to = end ?? dateAfter(newest ?? service.now().slice(0, 10), 1 + aheadDays);
  const from = dateAfter(to, -days);
  const ids = asked ? all.filter(id => asked.has(id)) : all;
  const tomorrow = newest === undefined ? from : dateAfter(newest, 1);
  const future = tomorrow > from ? tomorrow : from;
  const found = sourcesBetween(service, { ids, from, to }, lastDates, yieldToEventLoop);
  return { from, to, sources: asked ? withPlanned(service, found, { from: future, to }) : found };
};

/** Sources with their planned models from `from` (inclusive) to `to` (exclusive). */
async function* withPlanned(
  service: Pick<Service, 'models'>,
  sources: AsyncIterable<OverviewSource>,
  { from, to }: { readonly from: string; readonly to: string },
): AsyncGenerator<OverviewSource> {
  for await (const source of sources)
    yield source.parked ? source : { ...source, planned: plannedBetween(service, source.id, from, to) };
}
