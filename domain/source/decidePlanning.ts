import { Rejection } from '../rejection.js';
import type { CommandOf } from './sourceCommands.js';
import type { ExistingSource } from './sourceState.js';
import type { SourceEvent } from './sourceEvents.js';

/** Maximum number of special days of a source. */
export const specialDaysMax = 1000;

/** Maximum number of overrides of the planning of a source. */
const overridesMax = 5000;

/** Plans a date to follow a model. */
export const planDay = (
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
export const clearDayPlan = (
  { requestId, date }: CommandOf<'ClearDayPlan'>,
  state: ExistingSource,
): readonly SourceEvent[] =>
  state.overrides[date] === undefined ? [] : [{ type: 'DayPlanCleared', data: { requestId, date } }];

/** Names a special day, or renames it. */
export const nameSpecialDay = (
  { requestId, date, name }: CommandOf<'NameSpecialDay'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  if (state.specials[date] === name) return [];
  if (state.specials[date] === undefined && Object.keys(state.specials).length >= specialDaysMax)
    throw new Rejection(
      'tooManySpecialDays',
      `got special day ${specialDaysMax + 1}, expected at most ${specialDaysMax} of a source`,
    );
  return [{ type: 'SpecialDayNamed', data: { requestId, date, name } }];
};

/** Removes the name of a special day. */
export const clearSpecialDay = (
  { requestId, date }: CommandOf<'ClearSpecialDay'>,
  state: ExistingSource,
): readonly SourceEvent[] =>
  state.specials[date] === undefined ? [] : [{ type: 'SpecialDayCleared', data: { requestId, date } }];
