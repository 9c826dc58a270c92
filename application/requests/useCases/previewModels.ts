import { adaptiveFactor } from '../../../analysis/checking/adaptiveFactor.js';
import { alerts } from '../../../domain/alerts/alerts.js';
import type { AlertsEvent, FoundAlert, AlertsState } from '../../../domain/alerts/alertsState.js';
import { notAdapted } from '../../../domain/alerts/checks.js';
import { fold } from '../../../domain/decider.js';
import type { EventOf } from '../../../domain/events.js';
import type { AnalysisEvent } from '../../../domain/followUps.js';
import { statedBounds } from '../../../domain/planning/editedModels.js';
import { overridesAfter } from '../../../domain/planning/modelChange.js';
import type { Model } from '../../../domain/planning/models.js';
import { planner, type DayPlan } from '../../../domain/planning/planning.js';
import { presentLimits, type PresentLimits } from '../../../domain/planning/presentLimits.js';
import { staysWithNewModels } from '../../../domain/source/acceptedChanges.js';
import type { CovariateReading } from '../../../domain/source/covariates.js';
import { source } from '../../../domain/source/source.js';
import type { SourceEvent } from '../../../domain/source/sourceState.js';
import { streams } from '../../../domain/streams.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { LearnedFacts } from '../../../projections/planning.js';
import { shownCalendar, movedOverrides, type MovedOverride } from '../../../projections/planningBases.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import { stateOf } from '../../commands/commandHandler.js';
import { analysisJob } from '../../followUps/analyses.js';
import {
  daysPerCheck,
  nextPart,
  withOutcomes,
  type DayOutcome,
  type CheckedModels,
} from '../../followUps/checks/checkPart.js';
import { checkDecider } from '../../followUps/checks/decideCheck.js';
import { requestedCovariates } from '../../followUps/covariates.js';
import { runSteps } from '../../ports/sharing/turns.js';
import type { Requester } from '../access.js';
import { requireReference } from '../collector.js';
import { shownAcceptedChange, type ShownChange } from '../incidents.js';
import type { Deciding, Service, Clock } from '../service.js';
import { resetCommand, type ModelsReset } from './changeModels.js';

/**
 * The limits of a source as the alerts on its recent days have widened them, with what they detect.
 * @param tomorrow days from this date on do not count
 * @returns        null for limits that do not adapt, and where nothing was measured
 */
export const presentLimitsOf = (
  { days, planning, sources, typicalDays }: Pick<ReadModels, 'days' | 'planning' | 'sources' | 'typicalDays'>,
  sourceId: number,
  tomorrow: string,
): PresentLimits | null => {
  const measured = planning.learned(sourceId).bounds?.minimumDetectableChange;
  const setup = sources.setup(sourceId);
  const checks = planning.checks(sourceId);
  if (!measured || !setup || !checks?.adaptive) return null;
  const latest = days.adaptedBefore(sourceId, setup.modelsVersion, tomorrow);
  const factor = adaptiveFactor(latest?.adaptation ?? notAdapted);
  const present = { factor: Math.round(factor * 100) / 100, minimum: checks.minimum };
  return presentLimits(measured, typicalDays.list(sourceId), present);
};

/** A person who asks for a preview, and the signal that they no longer wait. */
type Asker = Pick<Requester, 'actor'> & { readonly signal: AbortSignal };

type ResetEvent = EventOf<'ModelsReset'>;

/** Computed effect of a reset. Ids of models and of gained alerts are those that a reset would give now. */
export type ModelsPreview = {
  readonly models: readonly Model[];
  readonly learned: LearnedFacts;
  readonly overrides: readonly MovedOverride[];
  readonly alerts: {
    readonly gained: readonly FoundAlert[];
    /** Alerts that the new models would raise again, with their new findings. */
    readonly kept: readonly FoundAlert[];
    readonly lost: readonly AlertRecord[];
  };
  /** Accepted changes that would end: they move models that would be gone. */
  readonly endedChanges: readonly { readonly incidentId: string; readonly change: ShownChange }[];
};

/**
 * Computes the effect of a reset of the models with the functions of the reset. Nothing is stored. The analysis runs
 * in a worker thread, the check of the recent days in turns of the event loop; both end when the signal is aborted.
 * @throws signal's reason, QueueFull
 */
export const previewModels = async (
  service: Deciding & Clock & Pick<Service, 'analyst' | 'environment' | 'turns'>,
  requester: Asker,
  setup: SourceSetup,
  reset: Omit<ModelsReset, 'sourceId'>,
): Promise<ModelsPreview> => {
  requireReference(service, setup);
  const event = await hypotheticalReset(service, requester, setup, reset);
  const { models, bounds, hitRate, calendar, overrides = { carried: [], dropped: [] } } = event.data;
  const before = service.models.typicalDays.list(setup.id);
  const events = await hypotheticalCheck(service, requester, setup, event);
  const found = (type: 'AlertRaised' | 'AlertConfirmed') =>
    events.flatMap(one => (one.type === type ? [one.data] : []));
  return {
    models,
    learned: { bounds: statedBounds(bounds), hitRate, calendar: calendar && shownCalendar(calendar) },
    overrides: movedOverrides(overrides, before, models),
    alerts: {
      gained: found('AlertRaised'),
      kept: found('AlertConfirmed'),
      lost: events.flatMap(one =>
        one.type === 'AlertInvalidated' ? (service.models.alerts.one(one.data.alertId) ?? []) : [],
      ),
    },
    endedChanges: service.models.acceptedChanges
      .ofSource(setup.id)
      .filter(change => !staysWithNewModels(change))
      .map(change => ({
        incidentId: change.incidentId,
        change: shownAcceptedChange({ ...change, sourceId: setup.id }),
      })),
  };
};

/** The event that a reset would append now. */
const hypotheticalReset = async (
  service: Deciding & Pick<Service, 'analyst' | 'environment' | 'now'>,
  { actor, signal }: Asker,
  setup: SourceSetup,
  reset: Omit<ModelsReset, 'sourceId'>,
): Promise<ResetEvent> => {
  const { models, analyst, environment } = service;
  const requestId = environment.newId();
  const stream = streams.source(setup.id);
  const asKnown = <Event extends SourceEvent>(event: Event) => ({
    ...event,
    id: requestId,
    stream,
    v: 1,
    revision: setup.version + 1,
    at: service.now(),
    position: 0n,
    metadata: { by: '', cause: '', correlation: '' },
  });
  const state = await stateOf(service, source, stream);
  const covariates = requestedCovariates(models, setup.explainedBy, setup.reference);
  const [request] = source.decide(resetCommand(requestId, reset, covariates), state);
  if (request?.type !== 'ModelsResetRequested') throw new Error('the preview of a reset was refused');
  const days = models.days.reference(setup.id);
  const specials = models.planning.specialDays(setup.id);
  const job = analysisJob(asKnown(request) as AnalysisEvent, setup, days, specials);
  const learned = await analyst.run(job, signal, actor.tenant).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
  const command = { type: 'ResetModels', requestId, learned } as const;
  const [event] = source.decide(command, fold(source, state, [request]));
  if (event?.type !== 'ModelsReset') throw new Error('the preview of a reset had no models');
  return asKnown(event);
};

/** The events of alerts that the check of all recent days after a reset would append now. */
const hypotheticalCheck = async (
  service: Deciding & Pick<Service, 'turns'>,
  { actor, signal }: Asker,
  { id: sourceId }: SourceSetup,
  event: ResetEvent,
): Promise<readonly AlertsEvent[]> => {
  const readings = new Map<string, readonly CovariateReading[]>();
  const decider = checkDecider(withReset(service.models, sourceId, event, readings));
  let state: AlertsState = await stateOf(service, alerts, streams.alerts(sourceId));
  const dates = decider.awaitedDates(event);
  const yieldToEventLoop = service.turns.yielderFor(actor.tenant, signal);
  const events: AlertsEvent[] = [];
  let earlier: ReadonlyMap<string, DayOutcome> = new Map();
  for (let from = 0; from < dates.length; from += daysPerCheck) {
    const part = nextPart(1 + from / daysPerCheck, dates.slice(from), earlier);
    const command = await runSteps(decider.checkSteps(event, part), yieldToEventLoop);
    if (!command) break;
    earlier = withOutcomes(earlier, command.days);
    for (const { date, covariates } of command.days) if (covariates) readings.set(date, covariates);
    // The check is decided on the alerts in the log, even when the read models know fewer.
    const known = { knowledge: state.knowledge, checksKnown: state.checkCount };
    const decided = alerts.decide({ ...command, ...known }, state);
    state = fold(alerts, state, decided);
    events.push(...decided);
    await yieldToEventLoop();
  }
  return events;
};

/**
 * The read models of checks as they would be after a reset.
 * @param readings values of covariates by date that the parts of its check so far knew
 */
const withReset = (
  { sources, days, rhythms, planning, acceptedChanges }: ReadModels,
  sourceId: number,
  { id, data }: ResetEvent,
  readings: ReadonlyMap<string, readonly CovariateReading[]>,
): CheckedModels => {
  const { models, assignments, modelsVersion, calendar, cycles, checks, overrides } = data;
  const specials = planning.specialDays(sourceId);
  const automatic = planner(models, assignments, {
    holidays: calendar?.holidays ?? null,
    specials,
    ...(cycles && { cycles }),
  });
  const manual = overrides ? overridesAfter(overrides) : {};
  const day = (_: number, date: string): DayPlan => {
    const plan = automatic(date);
    const modelId = manual[date];
    return modelId === undefined ? plan : { ...plan, modelId, origin: 'manual' };
  };
  return {
    days: { ...days, covariates: (id, date) => readings.get(date) ?? days.covariates(id, date) },
    rhythms,
    sources: {
      setup: sourceId => {
        const setup = sources.setup(sourceId);
        return setup && { ...setup, modelsVersion };
      },
    },
    acceptedChanges: { ofSource: id => acceptedChanges.ofSource(id).filter(staysWithNewModels) },
    typicalDays: { list: () => [...models] },
    planning: { modelsKey: () => id, assignedDays: () => assignments, checks: () => checks, day },
  };
};
