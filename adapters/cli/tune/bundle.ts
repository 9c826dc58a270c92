import { type WhatIf, settingName } from '../../../analysis/tuning/tune.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import type { ModelDraft } from '../../../domain/planning/models.js';
import {
  calendarFacts,
  dataFacts,
  jsonDigest,
  settingFacts,
  type Origin,
  type Parameters,
  type Tuned,
} from './facts.js';

/** Name and version of the bundle's format. */
const bundleFormat = 'daybook-tune/3';

/** The results of one setting. */
const settingResult = (tried: TriedSetting, whatIf: WhatIf | undefined) => {
  const { models, silhouette, assignments, days, counts, leftOut } = tried;
  return {
    ...settingFacts(tried, whatIf),
    counts,
    models: models.map(({ id, name, days }, index) => ({
      id,
      name,
      days,
      silhouette: silhouette?.models[index] ?? null,
    })),
    modelsSha256: jsonDigest(models),
    assignmentsSha256: jsonDigest(
      assignments.map(({ date, modelId, plannedId }) => [date, modelId, plannedId]),
    ),
    leftOut,
    alerts: days.flatMap(({ date, finding }) => (finding ? { date, ...finding } : [])),
  };
};

/** The bundle as text. It has no time, no path and nothing about the machine: equal results are equal bytes. */
export const bundleText = (tuned: Tuned): string => {
  const { name, origin, parameters, referenceYear, tried, whatIfs, recommended } = tuned;
  const best = tried[recommended];
  const bundle = {
    format: bundleFormat,
    engine: tried[0]?.engine ?? '',
    name,
    origin,
    parameters,
    referenceYear,
    data: dataFacts(tuned),
    calendar: calendarFacts(tuned),
    recommended: best ? settingName(best.asked) : null,
    settings: tried.map((one, index) => settingResult(one, whatIfs[index])),
  };
  return `${JSON.stringify(bundle, null, 1)}\n`;
};

/** The fields of a bundle that a replay needs. All others are compared as text. */
export type Bundle = {
  readonly engine: string;
  readonly name: string;
  readonly origin: Origin;
  readonly parameters: Parameters;
  readonly referenceYear: number;
  readonly data: ReturnType<typeof dataFacts>;
};

/** The text is not a bundle, or has an unknown format. The message says why. */
export class NoBundle extends Error {
  readonly name = 'NoBundle';
}

/** Whether a text is a bundle of this or of another version. */
export const isBundle = (text: string): boolean => /^\s*\{\s*"format":\s*"daybook-tune\//.test(text);

/** Parses a bundle. @throws NoBundle */
export const readBundle = (text: string): Bundle => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NoBundle('it is not JSON');
  }
  const bundle = (value ?? {}) as Partial<Bundle & { readonly format: unknown }>;
  const { format, engine, name, origin, parameters, referenceYear, data } = bundle;
  if (format !== bundleFormat)
    throw new NoBundle(`its format is ${JSON.stringify(format) ?? 'missing'}, expected "${bundleFormat}"`);
  if (!isComplete(bundle))
    throw new NoBundle('it lacks fields of a bundle: engine, name, origin, parameters, referenceYear, data');
  return { engine, name, origin, parameters, referenceYear, data } as Bundle;
};

const areNumbers = (list: unknown): boolean =>
  Array.isArray(list) && list.every(item => typeof item === 'number');

/** Whether all fields that a replay needs are there. */
const isComplete = ({ engine, name, origin, parameters, referenceYear, data }: Partial<Bundle>): boolean =>
  typeof engine === 'string' &&
  typeof name === 'string' &&
  ['files', 'store'].includes(origin?.kind ?? '') &&
  Boolean(data?.reference && data.recent) &&
  areNumbers(parameters?.counts) &&
  areNumbers(parameters?.coverages) &&
  Number.isSafeInteger(parameters?.seed) &&
  Number.isSafeInteger(referenceYear);

const shownLengthMax = 60;

/** A JSON value for a message. */
const shown = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
};

const isNode = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The first difference of two JSON values, by path; undefined when they are equal. */
const valueDifference = (recorded: unknown, now: unknown, path: string): string | undefined => {
  if (!isNode(recorded) || !isNode(now) || Array.isArray(recorded) !== Array.isArray(now))
    return recorded === now
      ? undefined
      : `${path || '/'}: the bundle has ${shown(recorded)}, this run ${shown(now)}`;
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
    const found = valueDifference(recorded[key], now[key], `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Path and values of the first difference of two JSON texts; undefined when the texts are equal. */
export const firstDifference = (recorded: string, now: string): string | undefined =>
  recorded === now
    ? undefined
    : (valueDifference(JSON.parse(recorded), JSON.parse(now), '') ??
      'the values are equal, but their text is not: the bundle was formatted differently');

/** The body of POST /v1/model/bulk-replace/{source_id} for these models. It cannot carry their limits. */
export const modelsBody = (
  models: readonly ModelDraft[],
): { readonly models: readonly Omit<ModelDraft, 'limits'>[] } => ({
  models: models.map(({ name, color, anomaly, activity, topTolerance, bottomTolerance }) => ({
    name,
    color,
    anomaly,
    activity,
    topTolerance,
    bottomTolerance,
  })),
});
