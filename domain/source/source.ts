import type { Decider } from '../decider.js';
import { Rejection } from '../rejection.js';
import { lookUp } from '../keyed.js';
import { changeModel } from '../planning/modelChange.js';
import type { CommandOf, SourceCommand } from './sourceCommands.js';
import type { SourceEvent } from './sourceEvents.js';
import { evolveSource, type ExistingSource, type SourceState } from './sourceState.js';
import { analysisInput } from './sourceFacts.js';
import { isSameDescription, patchedDescription } from './sourceDescription.js';
import { relearn } from './decideRelearning.js';
import { failAnalysis, replaceModels, requestReset, resetModels } from './decideModels.js';
import { clearDayPlan, clearSpecialDay, nameSpecialDay, planDay } from './decidePlanning.js';

/** Commands that an archived source accepts. An analysis that was running is completed. */
const forArchived: readonly SourceCommand['type'][] = [
  'CreateSource',
  'RelearnSource',
  'ArchiveSource',
  'RestoreSource',
  'ResetModels',
  'FailAnalysis',
];

/** Rules of `source-{id}`: creation, description, archive, models, overrides of the planning, special days. */
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
      throw new Rejection('sourceNotFound', 'the source is archived');
    switch (command.type) {
      case 'CreateSource':
        if (lookUp(state.requests, command.requestId)) return [];
        throw new Rejection('sourceExists', `source ${command.facts.sourceId} exists already`);
      case 'DescribeSource':
        return describe(command, state);
      case 'RelearnSource':
        return relearn(command, state);
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
      case 'ChangeModel':
        return changeModel(command, state);
      case 'PlanDay':
        return planDay(command, state);
      case 'ClearDayPlan':
        return clearDayPlan(command, state);
      case 'NameSpecialDay':
        return nameSpecialDay(command, state);
      case 'ClearSpecialDay':
        return clearSpecialDay(command, state);
    }
  },

  evolve: evolveSource,
};

const describe = (
  { requestId, patch }: CommandOf<'DescribeSource'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  const description = patchedDescription(state.description, patch);
  return isSameDescription(description, state.description)
    ? []
    : [{ type: 'SourceDescribed', data: { ...description, requestId } }];
};
