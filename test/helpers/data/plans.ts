import type { DayPlan } from '../../../domain/planning/planning.js';

/** An automatic plan of model 1 for an ordinary working day in a known season, but for the given facts. */
export const planOf = (date: string, facts: Partial<DayPlan> = {}): DayPlan => ({
  date,
  modelId: 1,
  origin: 'automatic',
  reason: '',
  reasons: { fr: '' },
  share: 1,
  alternatives: [],
  working: true,
  dayType: { type: 'ordinary' },
  similar: 'own',
  unseen: 0,
  ...facts,
});
