import { isTotal } from '../../domain/day.js';
import type { CovariateReading } from '../../domain/source/covariates.js';
import type { DayHistory, DayVersion } from '../../projections/dayHistory.js';
import type { Lineage, SourceHistory } from './sourceHistory.js';

/** Sources and days of a log so far. */
export type Histories = { readonly sources: SourceHistory; readonly days: DayHistory };

/** Value of a day of a source as a covariate, by the aggregation of the source. */
export const valueOf = ({ sources }: Histories, id: number, day: DayVersion): number | null =>
  isTotal(sources.created(id)?.aggregation ?? 'mean') ? day.sum : day.mean;

/** A day of a source at a revision: the recent one, else that of the reference. */
const dayAt = ({ days }: Histories, id: number, date: string, revision: number): DayVersion | undefined => {
  const versions = days.versions(id, date).filter(version => version.revision <= revision);
  const recent = versions.findLast(({ kind }) => kind === 'recent');
  return recent?.present === 1 ? recent : versions.findLast(({ kind }) => kind === 'reference');
};

/** Reads the value of a date as the service does, in one state of the covariate. */
export const readingAt = (
  history: Histories,
  { sourceId, revision }: CovariateReading,
  date: string,
  { lineage, at }: { readonly lineage: Lineage; readonly at: number },
): CovariateReading => {
  if (lineage.archived) return { sourceId, value: null, revision, archived: true };
  const [present, ...older] = lineage.ids.toReversed();
  for (const id of [...(present === undefined ? [] : [present]), ...older]) {
    const known = id === present ? revision : history.days.revisionAt(id, at);
    const day = dayAt(history, id, date, known);
    if (day) return { sourceId, value: valueOf(history, id, day), revision };
  }
  return { sourceId, value: null, revision };
};

/** Value of a covariate on a date at the nth event of the log. */
export const covariateValueAt = (
  history: Histories,
  sourceId: number,
  date: string,
  n: number,
): number | null => {
  const lineage = history.sources.lineageAt(sourceId, n);
  if (!lineage) return null;
  const revision = history.days.revisionAt(lineage.ids.at(-1) ?? sourceId, n);
  return readingAt(history, { sourceId, value: null, revision }, date, { lineage, at: n }).value;
};
