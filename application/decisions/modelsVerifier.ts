import { createHash } from 'node:crypto';
import { canonicalJson } from '../../auditing/eventBytes.js';
import {
  isModelsEvent,
  keptByRestoring,
  modelsAfter,
  type SetModels,
} from '../../domain/planning/editedModels.js';
import { engine as presentEngine } from '../../analysis/engine.js';
import { proposedMinChange } from '../../analysis/checking/floor.js';
import type { NamedDay } from '../../domain/planning/calendar.js';
import { specialDayList, type AppliedRuleEvent } from '../../domain/planning/specialDays.js';
import { fold } from '../../domain/decider.js';
import type { KnownEvent, EventOf } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import { lastYearOf } from '../../domain/source/reference.js';
import {
  keepsModels,
  referenceFacts,
  type SourceState,
  type SourceEvent,
} from '../../domain/source/sourceState.js';
import { source } from '../../domain/source/source.js';
import type { SourceCommand } from '../../domain/source/sourceCommands.js';
import { isSameJson } from '../../domain/sameJson.js';
import { withoutDates } from '../../domain/source/leftOutDays.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { Analyst } from '../ports/analyst.js';
import { analysisJob } from '../followUps/analyses.js';
import { isAnalysis, type AnalysisEvent } from '../../domain/followUps.js';
import { followedAgain } from './sourceHistory.js';
import { covariatesMismatch, seriesMismatch, relearnMismatch } from './mismatches.js';
import { differenceOf, type Placed, type Tally } from './tally.js';
import type { LogHistory } from './logHistory.js';

const specialsOf = (state: SourceState): readonly NamedDay[] =>
  state.status === 'absent' ? [] : specialDayList(state.specials);

/** Types of events that change the special days of a source. */
const namings: readonly string[] = [
  'SpecialDayNamed',
  'SpecialDayCleared',
  'CalendarRuleApplied',
  'CalendarRuleWithdrawn',
];

/** Hash of the part of models that restoring keeps. */
const hashOfKept = (models: SetModels): string =>
  createHash('sha256')
    .update(canonicalJson(keptByRestoring(models)))
    .digest('hex');

/**
 * Repeats and compares the analyses of one source.
 * @param models  read models with its creation and its reference days, which never change
 */
// Long, because it has one function per type of event.
export const modelsVerifier = (
  models: ReadModels,
  analyst: Pick<Analyst, 'run'>,
  history: LogHistory,
  tally: Tally,
) => {
  let state: SourceState = source.initial;
  /** Whether people supplied the current models. */
  let areCustom = false;
  const requests = new Map<string, AnalysisEvent>();
  /** Possible special days of the pending analysis: it may have started before the latest were named. */
  let specials: (readonly NamedDay[])[] = [];

  /** The present models, and a hash of the part of each version that restoring keeps. */
  let present: SetModels | undefined;
  const earlier = new Map<number, string>();
  const note = (event: EventOf<SourceEvent['type']>): void => {
    if (!isModelsEvent(event)) return;
    present = modelsAfter(present, event);
    if (present) earlier.set(present.data.modelsVersion, hashOfKept(present));
  };

  /** Repeats a decision of the source. @param otherwise what is reported when there is nothing to decide */
  const decideAgain = (placed: Placed, command: SourceCommand, otherwise: string): void => {
    const [decision] = source.decide(command, state);
    if (decision) tally.compare(placed, decision.data);
    else tally.report(placed, otherwise);
  };

  /** Compares restored models with the earlier ones, and decides their ids and overrides again. */
  const restored = (placed: Placed<EventOf<SetModels['type']>>): void => {
    const { event } = placed;
    const { requestId, restoredFrom = 0, overrides } = event.data;
    const kept = { type: event.type, data: { ...event.data, modelsVersion: restoredFrom } } as SetModels;
    if (earlier.get(restoredFrom) !== hashOfKept(kept))
      return tally.report(placed, `its models are not those of version ${restoredFrom}`);
    const keepPlanning = (overrides?.dropped.length ?? 0) === 0;
    const command = { type: 'RestoreModels', requestId, earlier: kept, keepPlanning } as const;
    decideAgain(placed, command, 'its request was decided by an earlier event');
  };

  /** Repeats the decision about models that a person edited. */
  const edited = async (
    placed: Placed<EventOf<'ModelsReset'>>,
    { modelsVersion, from, countsPlanned }: NonNullable<EventOf<'ModelsReset'>['data']['edited']>,
  ): Promise<void> => {
    const { stream, data } = placed.event;
    const { requestId, engine, overrides } = data;
    if (present?.type !== 'ModelsReset' || present.data.modelsVersion !== modelsVersion)
      return tally.report(placed, `the models before it are not those of version ${modelsVersion}`);
    const drafts = data.models.map(({ id, days, limits, ...draft }) => draft);
    const days = models.days.reference(sourceOf(stream));
    const assignments = await analyst.run({ kind: 'nearestModels', days, models: drafts });
    const keepPlanning = (overrides?.dropped.length ?? 0) === 0;
    const replacement = { requestId, models: drafts, engine, assignments, keepPlanning };
    const edits = { present: present.data, from, countsPlanned: countsPlanned === true };
    const command = { type: 'ReplaceModels', ...replacement, edited: edits } as const;
    decideAgain(placed, command, 'these models were already installed by an earlier event');
  };

  const reset = async (placed: Placed<EventOf<'ModelsReset'>>): Promise<void> => {
    const { stream, data } = placed.event;
    const { requestId } = data;
    if (data.restoredFrom !== undefined) return restored(placed);
    if (!tally.isOurs(placed, data.engine)) return;
    if (data.edited) return edited(placed, data.edited);
    const request = requests.get(requestId);
    if (request) tally.attribute(placed, request);
    const known = models.sources.setup(sourceOf(stream));
    if (!request || !known) return tally.report(placed, 'no earlier event requests these models');
    const days = models.days.reference(known.id);
    let expected: unknown;
    for (const at of specials) {
      const learned = await analyst.run({
        ...analysisJob(request, known, days, at),
        engine: data.engine,
      });
      const [decision] = source.decide({ type: 'ResetModels', requestId, learned }, state);
      if (!decision) return tally.report(placed, 'no request for these models was pending');
      expected = decision.data;
      if (differenceOf(expected, data) === undefined) break;
    }
    tally.compare(placed, expected);
  };

  /** Repeats a failed analysis. When it succeeds here, it is unknown why it failed on the other machine. */
  const failed = async (placed: Placed<EventOf<'AnalysisFailed'>>): Promise<void> => {
    const { stream, data, id } = placed.event;
    const request = requests.get(data.requestId);
    const known = models.sources.setup(sourceOf(stream));
    const [decision] = source.decide({ type: 'FailAnalysis', ...data }, state);
    if (!decision || !request || !known)
      return tally.report(placed, 'no request for this analysis was pending');
    tally.attribute(placed, request);
    for (const at of specials) {
      const job = analysisJob(request, known, models.days.reference(known.id), at);
      const failure = await analyst.run(job).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      if (failure === data.detail) return tally.compare(placed, { ...data, code: 'analysisFailed' });
    }
    tally.cannotDecide(
      'a failed analysis succeeds here: the other machine failed, or models were removed from the log',
      `${placed.event.type} ${id}`,
    );
  };

  const replaced = async (placed: Placed<EventOf<'ModelsReplaced'>>): Promise<void> => {
    const { stream, data } = placed.event;
    if (data.restoredFrom !== undefined) return restored(placed);
    if (!tally.isOurs(placed, data.engine)) return;
    const { requestId } = data;
    const drafts = data.models.map(({ id, days, ...draft }) => draft);
    const days = models.days.reference(sourceOf(stream));
    const assignments = await analyst.run({ kind: 'nearestModels', days, models: drafts });
    const engine = data.engine ?? presentEngine;
    // Overrides are dropped only when the request says so.
    const planning = data.overrides ? { keepPlanning: data.overrides.dropped.length === 0 } : {};
    const replacement = { requestId, models: drafts, engine, assignments, ...planning };
    const command = { type: 'ReplaceModels', ...replacement } as const;
    decideAgain(placed, command, 'these models were already installed by an earlier event');
  };

  const anomalyChanged = async (placed: Placed<EventOf<'ModelAnomalyChanged'>>): Promise<void> => {
    const { stream, data } = placed.event;
    if (!tally.isOurs(placed, data.engine) || state.status === 'absent') return;
    const { requestId, modelId, anomaly } = data;
    const days = models.days.reference(sourceOf(stream));
    const changed = state.models.map(model => (model.id === modelId ? { ...model, anomaly } : model));
    const assignments = areCustom
      ? await analyst.run({ kind: 'nearestModels', days, models: changed })
      : null;
    const { modelsVersion } = state;
    const basis = { engine: data.engine, modelsVersion, assignments };
    const command = { type: 'ChangeModel', requestId, modelId, change: { anomaly }, ...basis } as const;
    decideAgain(placed, command, 'the anomaly flag of the model was not changed by it');
  };

  /** Compares the values of covariates that a request of an analysis holds with their imports. */
  const compareSeries = (placed: Placed<AnalysisEvent>): void => {
    const { stream, data } = placed.event;
    const id = sourceOf(stream);
    const created = history.sources.created(id);
    if (!created) return;
    const isCreation = placed.event.type === 'SourceCreated';
    const relearned = isCreation ? history.sources.relearning(id) : undefined;
    const reference = models.sources.setup(id)?.reference ?? created.reference;
    // A source that was learned again got the values of the whole year, when the other source asked for it.
    const { range, to } = relearned
      ? { range: lastYearOf(created.reference.to), to: relearned.n }
      : { range: reference, to: placed.n };
    // The covariates of a source that was learned again are compared with its other settings.
    if (!isCreation || created.relearnedFrom === undefined)
      tally.agree(placed, covariatesMismatch(history, id, data.covariates, placed.event.at));
    for (const series of data.covariates ?? [])
      tally.agree(placed, seriesMismatch(history, series, range, to));
  };

  /** Compares the facts of a reference, and the floor that was proposed from it, with its days. */
  const compareReference = (placed: Placed<EventOf<'SourceCreated' | 'ReferenceExtended'>>): void => {
    const { stream, data } = placed.event;
    const days = models.days.reference(sourceOf(stream));
    const { minChange: floor, relearnedFrom: from } = { relearnedFrom: undefined, ...data };
    // Earlier builds gave a source that was learned again the floor that was proposed for the source before.
    const isKept =
      from !== undefined &&
      (!history.sources.created(from) || isSameJson(history.sources.floorOf(from), floor));
    const isProposed = floor?.proposed === true && !isKept;
    const minChange = isProposed ? proposedMinChange(days) : null;
    const expected = { ...data, reference: referenceFacts(days) };
    tally.compare(placed, isProposed ? { ...expected, minChange: minChange ?? undefined } : expected);
  };

  /** Repeats the decision whether models of people stay; older events do not say it. */
  const compareKept = (placed: Placed<EventOf<'ReferenceExtended'>>): void => {
    const got = placed.event.data.keepsModels;
    if (state.status === 'absent' || got === undefined || got === keepsModels(state)) return;
    tally.report(placed, `got keepsModels ${got}, expected ${keepsModels(state)} by the models before it`);
  };

  /** Compares the dates that an analysis learns without with those that people left out. */
  const compareLeftOut = (placed: Placed<EventOf<'ModelsResetRequested' | 'ReferenceExtended'>>): void => {
    if (state.status === 'absent') return;
    const got = placed.event.data.withoutDates;
    const difference = differenceOf(withoutDates(state).withoutDates, got);
    if (difference !== undefined)
      tally.report(placed, `the dates that people left out differ: ${difference}`);
  };

  /** The source that the event before says this one was learned again as. */
  let successor: number | undefined;
  const relearned = (placed: Placed<EventOf<'SourceRelearned'>>): void => {
    const { requestId, created } = placed.event.data;
    const { relearnedFrom, ...facts } = created;
    if (relearnedFrom === undefined)
      return tally.report(placed, 'it does not name the source that is learned again');
    // The state of the source determines these fields of the new one.
    const { name, labels, place, expectedInterval, explainedBy, ...others } = facts;
    const { specialDays, leftOutDays, calendarRules, ...given } = others;
    const command = { type: 'RelearnSource', requestId, created: { ...given, relearnedFrom } } as const;
    decideAgain(placed, command, 'its request was decided by an earlier event');
    successor = created.sourceId;
  };

  /** Repeats the decision that a rule for labels applies, or no longer does. */
  const followed = (placed: Placed<EventOf<AppliedRuleEvent['type']>>, revision: number): void => {
    const tenant = history.sources.created(sourceOf(placed.event.stream))?.tenant ?? '';
    const calendar = history.calendars.at(tenant, revision);
    if (!calendar || state.status === 'absent')
      return tally.report(placed, `no earlier event is revision ${revision} of the calendar of its tenant`);
    const expected = followedAgain(placed.event, calendar, state);
    if (expected) tally.compare(placed, expected);
    else tally.report(placed, 'the calendar of its tenant does not ask for it');
  };

  return {
    /** Compares the next event of the source's stream. Decisions of people are accepted. */
    take: async ({ event, n }: Placed<EventOf<SourceEvent['type']>>): Promise<void> => {
      switch (event.type) {
        case 'SourceCreated': {
          if (!event.data.collects) compareReference({ event, n });
          tally.agree({ event, n }, relearnMismatch(history, { event, n }));
          const asked = history.sources.relearning(event.data.sourceId);
          if (asked) tally.attribute({ event, n }, asked.event, event.metadata.by);
          break;
        }
        case 'ReferenceExtended':
          compareReference({ event, n });
          compareKept({ event, n });
          break;
        case 'SourceRelearned':
          relearned({ event, n });
          break;
        case 'SourceArchived':
          if (event.data.relearnedAs !== successor)
            tally.report(
              { event, n },
              `got relearnedAs ${event.data.relearnedAs ?? 'nothing'}, expected ${successor ?? 'nothing'}`,
            );
          successor = undefined;
          break;
        case 'ModelsReset':
          await reset({ event, n });
          break;
        case 'ModelsReplaced':
          await replaced({ event, n });
          break;
        case 'ModelAnomalyChanged':
          await anomalyChanged({ event, n });
          break;
        case 'AnalysisFailed':
          await failed({ event, n });
          break;
        case 'CalendarRuleApplied':
        case 'CalendarRuleWithdrawn':
          if (event.data.followed !== undefined) followed({ event, n }, event.data.followed);
          break;
      }
      if (isAnalysis(event)) compareSeries({ event, n });
      if (event.type === 'ModelsResetRequested' || event.type === 'ReferenceExtended')
        compareLeftOut({ event, n });
      if (event.type === 'ModelsReset' || event.type === 'ModelsReplaced')
        areCustom = event.type === 'ModelsReplaced';
      note(event);
      state = fold(source, state, [event]);
      if (isAnalysis(event)) {
        requests.set(event.data.requestId, event);
        specials = [specialsOf(state)];
      } else if (namings.includes(event.type)) specials.push(specialsOf(state));
    },
    /** To be called after the last event; returns the request whose models are pending. */
    done: (): readonly KnownEvent[] => {
      const pending = state.status === 'absent' ? null : state.pendingRequestId;
      const request = pending === null ? undefined : requests.get(pending);
      return request ? [request] : [];
    },
  };
};
