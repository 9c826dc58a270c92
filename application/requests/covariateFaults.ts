import { Rejection, type Fault } from '../../domain/rejection.js';
import type { ReadModels } from '../../projections/readModels.js';

/**
 * Faults of the covariates of a source: each must be another source of the tenant that is not archived, and must not be
 * explained by this one, directly or through others.
 * @param sourceId the source; undefined for a new one
 */
export const covariateFaults = (
  { sources }: { readonly sources: Pick<ReadModels['sources'], 'setup'> },
  { tenant, sourceId }: { readonly tenant: string; readonly sourceId: number | undefined },
  ids: readonly number[],
): Fault[] => {
  /** Whether a source is this one, or is explained by it, directly or through others. */
  const dependsOnSource = (id: number, seen: ReadonlySet<number> = new Set()): boolean =>
    id === sourceId ||
    (!seen.has(id) &&
      (sources.setup(id)?.explainedBy ?? []).some(other => dependsOnSource(other, new Set([...seen, id]))));
  return ids.flatMap((id, index) => {
    const fault = (detail: string): Fault => ({
      code: 'explainedBy',
      pointer: `/explainedBy/${index}`,
      detail,
    });
    const setup = sources.setup(id);
    if (id === sourceId) return fault(`got source ${id} itself, expected other sources`);
    if (setup?.tenant !== tenant || setup.archivedAt !== null)
      return fault(`got ${id}, expected the id of a source: there is no source ${id}`);
    return dependsOnSource(id)
      ? fault(`got source ${id}, expected one that source ${sourceId} does not explain: a circle`)
      : [];
  });
};

/**
 * Refuses covariates that break a rule.
 * @throws Rejection `descriptionInvalid` with a JSON Pointer to each fault
 */
export const requireCovariates = (
  models: { readonly sources: Pick<ReadModels['sources'], 'setup'> },
  owner: { readonly tenant: string; readonly sourceId: number | undefined },
  ids: readonly number[],
): void => {
  const faults = covariateFaults(models, owner, ids);
  if (faults.length > 0)
    throw new Rejection('descriptionInvalid', 'the description of the source is not valid', faults);
};
