import { explainedDates } from '../../../analysis/covariates/explainedDates.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import { explainedParts } from '../../../domain/alerts/details/alertSentence.js';
import type { Model } from '../../../domain/planning/models.js';
import type { CovariateEffect, ExplainedBy } from '../../../domain/source/covariates.js';

/** Result for a covariate under a setting, with its effect in words; null when it is not used. */
export type CovariateResult = ExplainedBy & { readonly words: string | null };

/** Results for the covariates of a setting, in their order; empty without covariates. */
export const covariateResults = ({
  explainedBy = [],
  checks,
  models,
}: Pick<TriedSetting, 'explainedBy' | 'checks' | 'models'>): CovariateResult[] =>
  explainedBy.map(one => {
    const effect = checks?.covariates?.find(({ sourceId }) => sourceId === one.sourceId);
    return { ...one, words: effect ? effectWords(effect, models) : null };
  });

/** The words of an alert on a day of the most frequent model, for the lowest value, the knee and the highest value. */
const effectWords = (effect: CovariateEffect, models: readonly Model[]): string => {
  const [model] = models;
  const { sourceId, from, knee, to } = effect;
  const values = [...new Set([from, knee, to])];
  const words = values.flatMap(value => {
    const explained = explainedDates(models, [effect], () => [{ sourceId, value, revision: 0 }]);
    return model ? explainedParts(explained('').facts(model)) : [];
  });
  return `on a day of “${model?.name}”: ${words.join('; ')}`;
};

/** A result in one sentence. */
export const covariateText = ({ name, used, reason, words }: CovariateResult): string =>
  `${name} is ${used ? 'kept' : 'dropped'}: ${reason}${words === null ? '' : `; ${words}`}.`;
