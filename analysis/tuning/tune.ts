import { modelCountMax } from '../../domain/planning/models.js';
import { trySetting, type Asked, type TriedSetting, type TuneData } from './trySetting.js';

/** The settings of a sweep. */
export type Sweep = {
  /** Numbers of models, ascending, each once. */
  readonly counts: readonly number[];
  /** Target coverages, ascending, each once. */
  readonly coverages: readonly number[];
  /** Whether to combine every number of models with every coverage. */
  readonly cross: boolean;
};

/** The setting of a source that is created without options. It is always tried first. */
export const asCreated: Asked = { modelCount: null, coverage: null };

/** The settings that can be tried at once: `asCreated`, then each number of models with default limits. */
export const firstSettings = ({ counts }: Sweep): Asked[] => [
  asCreated,
  ...counts.map(modelCount => ({ modelCount, coverage: null })),
];

/**
 * The settings with target coverages. They need the chosen number of models first.
 * @param chosenCount number of models of the setting `asCreated`
 * @returns           each coverage with that number of models, or with every number when `cross` is set
 */
export const laterSettings = ({ counts, coverages, cross }: Sweep, chosenCount: number): Asked[] =>
  (cross ? [...new Set([...counts, chosenCount])].sort((a, b) => a - b) : [chosenCount]).flatMap(modelCount =>
    coverages.map(coverage => ({ modelCount, coverage })),
  );

/**
 * Tries the settings of a sweep on a reference and recent days. The same data, sweep and seed give the same bytes.
 * @param progress called after each setting with the number of settings done and the total
 * @returns        `asCreated`; each number of models; each coverage (or each number with each coverage)
 * @throws RangeError as `trial` does, or when a number of models is not 1 to 64
 */
export const tune = (
  data: TuneData,
  sweep: Sweep,
  progress: (done: number, total: number) => void = () => {},
): TriedSetting[] => {
  const wrong = sweep.counts.find(count => !Number.isInteger(count) || count < 1 || count > modelCountMax);
  if (wrong !== undefined)
    throw new RangeError(`got ${wrong} models, expected an integer from 1 to ${modelCountMax}`);
  const total = settingsCount(sweep);
  const tried: TriedSetting[] = [];
  const tryAll = (settings: readonly Asked[]): void => {
    for (const asked of settings) {
      tried.push(trySetting(data, asked));
      progress(tried.length, total(tried[0]?.models.length ?? 0));
    }
  };
  tryAll(firstSettings(sweep));
  tryAll(laterSettings(sweep, tried[0]?.models.length ?? 1));
  return tried;
};

/** Returns the number of settings of a sweep for a chosen number of models. */
export const settingsCount =
  (sweep: Sweep) =>
  (chosenCount: number): number =>
    firstSettings(sweep).length + laterSettings(sweep, chosenCount).length;

/** Short name of a setting: `chosen`, `7`, `7@0.95`. */
export const settingName = ({ modelCount, coverage }: Asked): string =>
  `${modelCount ?? 'chosen'}${coverage === null ? '' : `@${coverage}`}`;
