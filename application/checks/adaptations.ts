import type { Comparison } from '../../analysis/checking/comparison.js';
import { notAdapted, type Adaptation } from '../../domain/alerts/adaptation.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import type { DayOutcome } from './checkPart.js';

/** States of the adaptive factor during a check: `before` a date; `record` stores the state after a day. */
type Adaptations = {
  readonly before: (date: string) => Adaptation | null;
  readonly record: (date: string, adaptation: Adaptation | undefined) => void;
};

/**
 * States of the adaptive factor before ascending dates: that of the latest checked day before the date with the same
 * models, which may be a day of this check. Stored states are read now; null when the limits do not adapt.
 * @param datesRead dates for which stored states are used; engines up to 5 used them for dates with data only
 * @param judged    outcomes of the days before, by date
 */
export const adaptationsOf = (
  { days }: { readonly days: Pick<ReadModels['days'], 'adaptedBefore' | 'adaptedBetween'> },
  { id: sourceId, modelsVersion }: Pick<SourceSetup, 'id' | 'modelsVersion'>,
  { checks }: Pick<Comparison, 'checks'>,
  {
    datesRead,
    judged,
  }: { readonly datesRead: readonly string[]; readonly judged: ReadonlyMap<string, DayOutcome> },
): Adaptations => {
  if (!checks?.adaptive) return { before: () => null, record: () => {} };
  const first = datesRead[0] ?? '';
  const end = datesRead.at(-1) ?? '';
  const latest = days.adaptedBefore(sourceId, modelsVersion, first);
  const between = days.adaptedBetween(sourceId, modelsVersion, first, end);
  // Ascending.
  const stored = latest ? [latest, ...between] : between;
  const isRead = new Set(datesRead);
  let last: { readonly date: string; readonly adaptation: Adaptation } | undefined;
  const record = (date: string, adaptation: Adaptation | undefined): void => {
    if (adaptation && (!last || date > last.date)) last = { date, adaptation };
  };
  for (const { date, adaptation } of judged.values()) record(date, adaptation);
  const before = (date: string): Adaptation => {
    const known = isRead.has(date) ? stored.findLast(state => state.date < date) : undefined;
    if (last && (!known || last.date >= known.date)) return last.adaptation;
    return known?.adaptation ?? notAdapted;
  };
  return { before, record };
};
