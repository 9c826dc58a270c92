import {
  covariatesMax,
  covariateValue,
  type CovariateSeries,
  type CovariateEffect,
  type ExplainedBy,
} from '../../../domain/source/covariates.js';
import type { Day } from '../../../domain/day.js';
import { SettingsError } from '../../settings/values.js';
import { wrongOption } from '../terminal/arguments.js';
import { plural } from '../../../domain/text.js';
import { plain } from '../terminal/text.js';
import { explainedDates, isStraight } from '../../../analysis/covariates/effectOn.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import { explainedParts } from '../../../domain/alerts/alertSentence.js';
import type { Model } from '../../../domain/planning/models.js';

/** Result for a covariate under a setting, with its effect in words; null when it is not used. */
type CovariateResult = ExplainedBy & { readonly words: string | null };

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
    if (!model) return [];
    const straight = model.limits && isStraight(model.limits);
    return explainedParts({ ...explained('').facts(model), straight });
  });
  return `on a day of “${model?.name}”: ${words.join('; ')}`;
};

/** A result in one sentence. */
export const covariateText = ({ name, used, reason, words }: CovariateResult): string =>
  `${name} is ${used ? 'kept' : 'dropped'}: ${reason}${words === null ? '' : `; ${words}`}.`;

/** A covariate of `--explained-by`: its name, and the CSV file of its days. */
export type CovariateFile = { readonly name: string; readonly path: string };

const option = '--explained-by';

/** The covariates of the options `<name>=<file.csv>`. @throws SettingsError */
export const covariateFilesOf = (given: readonly string[]): CovariateFile[] => {
  if (given.length > covariatesMax)
    throw new SettingsError(`${option}: got ${given.length} covariates, expected at most ${covariatesMax}`);
  const files = given.map(text => {
    const at = text.indexOf('=');
    const [name, path] = [text.slice(0, at).trim(), text.slice(at + 1)];
    if (at < 0 || name === '' || path === '' || /\.json(\.gz)?$/i.test(path))
      throw wrongOption(option, text, 'a name and a CSV file: Temperature=outside.csv');
    return { name: plain(name), path };
  });
  const twice = files.find(({ name }, index) => files.findIndex(other => other.name === name) < index);
  if (twice) throw new SettingsError(`${option}: got the name ${twice.name} twice, expected different names`);
  return files;
};

/**
 * The values of a covariate by date: the mean of each day that has at least half of its slices.
 * @param place place among the covariates, from 1; it is the id of the series
 * @throws SettingsError when no reference day has a value
 */
export const seriesOf = (
  { name }: CovariateFile,
  place: number,
  days: readonly Day[],
  reference: readonly Day[],
): CovariateSeries => {
  const values = days.flatMap(day => {
    const value = covariateValue(day, 'mean');
    return value === null ? [] : [{ date: day.date, value }];
  });
  const dates = new Set(values.map(({ date }) => date));
  if (!reference.some(({ date }) => dates.has(date)))
    throw new SettingsError(
      `${option}: got no value of ${name} on a reference day (${rangeOf(reference)}): its file has ` +
        `${plural(values.length, 'day')} with values in half of the slices, of ${days.length} (${rangeOf(days)})`,
    );
  return { sourceId: place, name, revision: 0, values };
};

const rangeOf = (days: readonly Day[]): string => `${days[0]?.date} to ${days.at(-1)?.date}`;

/** A note when recent days have no value: their expectation is not adjusted, and smaller faults are not found. */
export const missingNote = (
  { name, values, archived }: CovariateSeries,
  recent: readonly Day[],
): string[] => {
  if (archived) return [`${plain(name)} is archived: its values are not used`];
  const dates = new Set(values.map(({ date }) => date));
  const missing = recent.filter(({ date }) => !dates.has(date)).length;
  return missing === 0
    ? []
    : [`${plain(name)} has no value on ${missing} of ${plural(recent.length, 'recent day')}`];
};
