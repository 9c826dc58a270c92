import { createHash } from 'node:crypto';
import {
  type ValidAlert,
  type WhatIf,
  recentCounts,
  settingName,
  type Sweep,
} from '../../../analysis/tuning/tune.js';
import type { CheckedSource } from '../../../analysis/tuning/trial.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import type { Calendar, NamedDay } from '../../../domain/planning/calendar.js';
import type { Day } from '../../../domain/day.js';
import type { Limits, ModelDraft } from '../../../domain/planning/models.js';
import type { CovariateSeries } from '../../../domain/source/covariates.js';
import { covariateResults } from './covariates.js';
import type { Reading } from './files.js';
import type { Revisions } from './history.js';

/** Where the data comes from: files, by name without folder, or a source of a store up to some revisions. */
export type Origin =
  | {
      readonly kind: 'files';
      readonly reference: string;
      readonly recent: string | null;
      /** Names of covariates and of their files; absent without any. */
      readonly explainedBy?: readonly { readonly name: string; readonly file: string }[];
    }
  | { readonly kind: 'store'; readonly sourceId: number; readonly revisions: Revisions };

/**
 * Everything that decides the results, except the data and the engine. `calendar` is the code of `--calendar`, or
 * `none` for no holidays. It is null for the calendar of the source, or an inferred one where the source has none.
 */
export type Parameters = Sweep & Reading & { readonly calendar: string | null; readonly seed: number };

/** The data, the parameters and the results of `daybook tune`. */
export type Tuned = CheckedSource & {
  readonly name: string;
  readonly origin: Origin;
  readonly parameters: Parameters;
  readonly referenceYear: number;
  readonly reference: readonly Day[];
  readonly recent: readonly Day[];
  /** Current alerts of the source; null for files. */
  readonly validAlerts: readonly ValidAlert[] | null;
  /** Special days that users named. */
  readonly specials: readonly NamedDay[];
  /** Series of `--explained-by`, or of the sources that explain a source of a store, in that order. */
  readonly covariates: readonly CovariateSeries[];
  readonly tried: readonly TriedSetting[];
  /** One a setting when the alerts of a source are known, else empty. */
  readonly whatIfs: readonly WhatIf[];
  /** Index of the recommended setting. */
  readonly recommended: number;
  /** The holidays used; null for none. */
  readonly holidays: Calendar | null;
};

/**
 * SHA-256 of days, in hex: over the UTF-8 of `JSON.stringify([date, activity, gaps, filled])` and a line feed for each
 * day, in order of date. Files with the same days have the same digest.
 */
const daysDigest = (days: readonly Day[]): string => {
  const hash = createHash('sha256');
  for (const { date, activity, gaps, filled } of days)
    hash.update(`${JSON.stringify([date, activity, gaps, filled])}\n`);
  return hash.digest('hex');
};

/** SHA-256 of a value's JSON, in hex. */
export const jsonDigest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

const daysFacts = (days: readonly Day[]) => ({
  days: days.length,
  from: days[0]?.date ?? null,
  to: days.at(-1)?.date ?? null,
  sha256: daysDigest(days),
});

/** Counts, dates and digests of the data. */
export const dataFacts = ({
  reference,
  recent,
  validAlerts,
  specials,
  covariates,
}: Pick<Tuned, 'reference' | 'recent' | 'validAlerts' | 'specials' | 'covariates'>) => ({
  slices: reference[0]?.activity.length ?? 0,
  reference: daysFacts(reference),
  recent: daysFacts(recent),
  alerts: validAlerts && {
    days: validAlerts.length,
    sha256: jsonDigest(validAlerts.map(({ date, verdict }) => [date, verdict])),
  },
  specialDays: {
    days: specials.length,
    sha256: jsonDigest(specials.map(({ date, name }) => [date, name])),
  },
  ...(covariates.length > 0 && {
    covariates: {
      names: covariates.map(({ name }) => name),
      sha256: jsonDigest(
        covariates.map(({ name, values }) => [name, ...values.map(({ date, value }) => [date, value])]),
      ),
    },
  }),
});

/** The calendar of the holidays, with the evidence for an inferred one; null for none. */
export const calendarFacts = ({ holidays }: Pick<Tuned, 'holidays'>) =>
  holidays && {
    code: holidays.code,
    origin: holidays.origin,
    evidence: holidays.evidence,
    library: holidays.library,
    sha256: jsonDigest(holidays.holidays.map(({ date, name }) => [date, name])),
  };

/** The limits that all models of a setting share; null where only bounds decide. */
export const limitsOf = (models: readonly ModelDraft[]): Limits | null => models[0]?.limits ?? null;

/** The numbers of one setting, as in the bundle and in the output of `--json`. */
export const settingFacts = (tried: TriedSetting, whatIf: WhatIf | undefined) => {
  const { asked, models, bounds, fit, silhouette, hitRate, explainedBy } = tried;
  return {
    setting: settingName(asked),
    asked,
    modelCount: models.length,
    loss: fit.loss,
    predictability: fit.predictability,
    stability: fit.stability,
    hitRate,
    silhouette: silhouette?.mean ?? null,
    bounds,
    limits: limitsOf(models),
    recent: recentCounts(tried),
    whatIf: whatIf ?? null,
    ...(explainedBy && { explainedBy: covariateResults(tried) }),
  };
};
