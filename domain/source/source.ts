import { decideAcceptance } from './acceptedChanges.js';
import type { Decider } from '../decider.js';
import { isSameJson } from '../sameJson.js';
import { Rejection } from '../rejection.js';
import { lookUp } from '../keyed.js';
import { decideAppliedRules } from '../planning/calendarRules.js';
import { isNamed, namedDays } from '../planning/specialDays.js';
import {
  changeModel,
  type KnownModel,
  type ModelsReplacedData,
  carriedOverrides,
} from '../planning/modelChange.js';
import type { CommandOf, SourceCommand } from './sourceCommands.js';
import {
  type SourceEvent,
  evolveSource,
  type ExistingSource,
  type SourceState,
  analysisInput,
  keepsModels,
  type SourceCreation,
} from './sourceState.js';
import { describedFacts, descriptionFacts, patchedDescription } from './sourceDescription.js';
import { collectedDaysMin } from './reference.js';
import { decideLeftOut, leftOutDays, withoutDates } from './leftOutDays.js';
import { requireModels, withIds } from '../planning/models.js';
import { editModels, restoreModels } from '../planning/editedModels.js';

/** Creates a new source from recent days of this one, and archives this one. */
const relearn = (
  { requestId, created }: CommandOf<'RelearnSource'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  if (lookUp(state.requests, requestId)) return [];
  const { minChange, ...given } = created;
  const { relearnedFrom, sourceId } = given;
  if (state.status === 'archived') throw relearnRefusal(relearnedFrom, state.relearnedAs);
  const { named, ...calendarRules } = state.specials;
  const specialDays = namedDays({ named }).filter(({ date }) => date >= created.reference.from);
  const leftOut = leftOutDays(state).filter(
    ({ date }) => created.reference.from <= date && date <= created.reference.to,
  );
  const data: SourceCreation = {
    ...given,
    ...descriptionFacts(state.description),
    ...(minChange && state.description.minChange?.proposed && { minChange }),
    ...(leftOut.length > 0 && { leftOutDays: leftOut }),
    ...(specialDays.length > 0 && { specialDays }),
    ...(calendarRules.rules.length > 0 && { calendarRules }),
  };
  return [
    { type: 'SourceRelearned', data: { requestId, created: data } },
    { type: 'SourceArchived', data: { requestId, relearnedAs: sourceId } },
  ];
};

/** Refusal to learn an archived source again. */
export const relearnRefusal = (sourceId: number, relearnedAs: number | null): Rejection =>
  relearnedAs === null
    ? new Rejection('sourceNotFound', `source ${sourceId} is archived: restore it first`)
    : new Rejection('sourceRelearned', relearnedText(sourceId, relearnedAs));

/** Says which source took the place of one that was learned again. */
export const relearnedText = (sourceId: number, relearnedAs: number): string =>
  `source ${sourceId} was learned again as source ${relearnedAs}`;

/** Maximum number of special days of a source. */
export const specialDaysMax = 1000;

/** Maximum number of overrides of the planning of a source. */
const overridesMax = 5000;

/** Plans a date to follow a model. */
const planDay = (
  { requestId, date, modelId }: CommandOf<'PlanDay'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  const modelIds = state.models.map(({ id }) => id);
  if (!modelIds.includes(modelId)) {
    const detail = `got model ${modelId}, expected one of the source's models: ${modelIds.join(', ') || 'it has none yet'}`;
    throw new Rejection('modelNotFound', detail, [{ code: 'modelUnknown', pointer: '/modelId', detail }]);
  }
  if (state.overrides[date] === modelId) return [];
  if (state.overrides[date] === undefined && Object.keys(state.overrides).length >= overridesMax)
    throw new Rejection(
      'tooManyOverrides',
      `got override ${overridesMax + 1} of the planning, expected at most ${overridesMax} of a source`,
    );
  return [{ type: 'DayPlanned', data: { requestId, date, modelId } }];
};

/** Removes the override of a date. */
const clearDayPlan = (
  { requestId, date }: CommandOf<'ClearDayPlan'>,
  state: ExistingSource,
): readonly SourceEvent[] =>
  state.overrides[date] === undefined ? [] : [{ type: 'DayPlanCleared', data: { requestId, date } }];

/** Names a special day, or renames it. */
const nameSpecialDay = (
  { requestId, date, name }: CommandOf<'NameSpecialDay'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  const { named } = state.specials;
  if (named[date] === name) return [];
  if (named[date] === undefined && Object.keys(named).length >= specialDaysMax)
    throw new Rejection(
      'tooManySpecialDays',
      `got special day ${specialDaysMax + 1}, expected at most ${specialDaysMax} of a source`,
    );
  return [{ type: 'SpecialDayNamed', data: { requestId, date, name } }];
};

/** Removes the name of a special day. */
const clearSpecialDay = (
  { requestId, date }: CommandOf<'ClearSpecialDay'>,
  state: ExistingSource,
): readonly SourceEvent[] =>
  isNamed(state.specials, date) ? [{ type: 'SpecialDayCleared', data: { requestId, date } }] : [];

/** Requests new automatic models. */
const requestReset = (
  command: CommandOf<'RequestModelsReset'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  const { requestId, modelCount, seed, keepPlanning } = command;
  if (lookUp(state.requests, requestId)) return [];
  if (state.collected === 0)
    throw new Rejection(
      'referenceCollecting',
      `the source collects its reference, expected ${collectedDaysMin} days with data before its first models`,
    );
  const kept = keepPlanning === undefined ? {} : { keepPlanning };
  const input = { ...analysisInput(command), ...withoutDates(state) };
  const data = { requestId, modelCount, seed, ...kept, ...input };
  return [{ type: 'ModelsResetRequested', data }];
};

/** Makes recent days reference days. Models of people stay, and a floor that a person gave, also one of 0. */
const extendReference = (
  { type: _, minChange, covariates, ...data }: CommandOf<'ExtendReference'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  if (lookUp(state.requests, data.requestId)) return [];
  const given = state.description.minChange?.proposed === false;
  const proposal = minChange && !given ? { minChange } : {};
  const kept = keepsModels(state);
  const learned = kept || !covariates ? {} : { covariates };
  const facts = { ...data, ...proposal, ...learned, keepsModels: kept };
  return [{ type: 'ReferenceExtended', data: { ...facts, ...withoutDates(state) } }];
};

/** Overrides of the planning under new models, carried or dropped; empty for requests of older versions. */
const overridesFor = (
  { overrides, models }: ExistingSource,
  newModels: readonly KnownModel[],
  keepPlanning: boolean | undefined,
): Pick<ModelsReplacedData, 'overrides'> =>
  keepPlanning === undefined
    ? {}
    : { overrides: carriedOverrides(overrides, models, newModels, keepPlanning) };

/** Installs the models of an analysis, unless a newer request or a replacement superseded it. */
const resetModels = (
  { requestId, learned }: CommandOf<'ResetModels'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  if (state.pendingRequestId !== requestId) return [];
  const identified = withIds(learned, state.nextModelId);
  return [
    {
      type: 'ModelsReset',
      data: {
        ...learned,
        requestId,
        modelsVersion: state.modelsVersion + 1,
        ...identified,
        ...overridesFor(state, identified.models, state.keepPlanning),
      },
    },
  ];
};

/** Ends an analysis that found no models. */
const failAnalysis = (
  { requestId, code, detail }: CommandOf<'FailAnalysis'>,
  state: ExistingSource,
): readonly SourceEvent[] =>
  state.pendingRequestId === requestId ? [{ type: 'AnalysisFailed', data: { requestId, code, detail } }] : [];

/** Replaces all models by those that a person supplied: custom ones, or edits of the present ones. */
const replaceModels = (
  command: CommandOf<'ReplaceModels'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  const { requestId, models, engine, assignments, keepPlanning, edited } = command;
  if (lookUp(state.requests, requestId)) return [];
  requireModels(models);
  if (edited) return [{ type: 'ModelsReset', data: editModels({ ...command, edited }, state) }];
  const days = (index: number) => assignments.filter(({ model }) => model === index).length;
  const identified = withIds({ models, assignments }, state.nextModelId);
  return [
    {
      type: 'ModelsReplaced',
      data: {
        requestId,
        engine,
        modelsVersion: state.modelsVersion + 1,
        models: identified.models.map((model, index) => ({ ...model, days: days(index) })),
        assignments: identified.assignments,
        ...overridesFor(state, identified.models, keepPlanning),
      },
    },
  ];
};

/** Refusal to change an archived source. */
const archivedRefusal = (relearnedAs: number | null): Rejection =>
  new Rejection(
    'sourceNotFound',
    relearnedAs === null
      ? 'the source is archived: restore it first'
      : `the source was learned again as source ${relearnedAs}`,
  );

/** Commands that an archived source accepts. An analysis that was running is completed. */
const forArchived: readonly SourceCommand['type'][] = [
  'CreateSource',
  'RelearnSource',
  'ArchiveSource',
  'RestoreSource',
  'ResetModels',
  'FailAnalysis',
];

/**
 * Rules of `source-{id}`: creation, description, archive, models, overrides of the planning, special days, reference
 * days that are left out.
 */
export const source: Decider<SourceCommand, SourceEvent, SourceState> = {
  initial: { status: 'absent' },

  decide: (command, state) => {
    if (state.status === 'absent') {
      if (command.type !== 'CreateSource') throw new Rejection('sourceNotFound', 'no such source');
      const { requestId, facts, seed } = command;
      const data = { ...facts, requestId, seed, ...analysisInput(command) };
      return [{ type: 'SourceCreated', data }];
    }
    if (state.status === 'archived' && !forArchived.includes(command.type))
      throw archivedRefusal(state.relearnedAs);
    switch (command.type) {
      case 'CreateSource':
        if (lookUp(state.requests, command.requestId)) return [];
        throw new Rejection('sourceExists', `source ${command.facts.sourceId} exists already`);
      case 'DescribeSource':
        return describe(command, state);
      case 'RelearnSource':
        return relearn(command, state);
      case 'ExtendReference':
        return extendReference(command, state);
      case 'ArchiveSource': {
        const { requestId } = command;
        return state.status === 'archived' ? [] : [{ type: 'SourceArchived', data: { requestId } }];
      }
      case 'RestoreSource': {
        const { requestId } = command;
        return state.status === 'active' ? [] : [{ type: 'SourceRestored', data: { requestId } }];
      }
      case 'RequestModelsReset':
        return requestReset(command, state);
      case 'ResetModels':
        return resetModels(command, state);
      case 'FailAnalysis':
        return failAnalysis(command, state);
      case 'ReplaceModels':
        return replaceModels(command, state);
      case 'RestoreModels':
        return restoreModels(command, state);
      case 'ChangeModel':
        return changeModel(command, state);
      case 'PlanDay':
        return planDay(command, state);
      case 'ClearDayPlan':
        return clearDayPlan(command, state);
      case 'LeaveOutReferenceDay':
      case 'TakeBackLeavingOut':
        return decideLeftOut(command, state);
      case 'AcceptChange':
      case 'WithdrawChange':
        return decideAcceptance(command, state);
      case 'NameSpecialDay':
        return nameSpecialDay(command, state);
      case 'ClearSpecialDay':
        return clearSpecialDay(command, state);
      case 'ApplyCalendarRule':
      case 'WithdrawCalendarRule':
      case 'FollowCalendar':
        return decideAppliedRules(command, { ...state.description, ...state });
    }
  },

  evolve: evolveSource,
};

const describe = (
  { requestId, patch }: CommandOf<'DescribeSource'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  const description = patchedDescription(state.description, patch);
  return isSameJson(description, state.description)
    ? []
    : [{ type: 'SourceDescribed', data: { ...describedFacts(description), requestId } }];
};
