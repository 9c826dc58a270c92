import { createHash } from 'node:crypto';
import { recentCounts } from '../../../analysis/tuning/recentCounts.js';
import { settingName, type Sweep } from '../../../analysis/tuning/tune.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import type { StoodAlert, WhatIf } from '../../../analysis/tuning/compareAlerts.js';
import type { Calendar, NamedDay } from '../../../domain/calendar.js';
import type { Day } from '../../../domain/day.js';
import type { Limits, ModelDraft } from '../../../domain/models.js';
import type { Revisions } from './history.js';
import type { Reading } from './files.js';

/** Name and version of the bundle's shape. */
export const bundleFormat = 'daybook-tune/2';

/** Where the data were from: files by their names without folders, or a source of a store up to some revisions. */
export type Origin =
  | { readonly kind: 'files'; readonly reference: string; readonly recent: string | null }
  | { readonly kind: 'store'; readonly sourceId: number; readonly revisions: Revisions };

/**
 * Everything that decides what a sweep comes to, beside the data and the engine. `calendar` is the code that was asked
 * for, `none` for no holidays, null for those of the source, which are inferred where it has named none.
 */
export type Parameters = Sweep & Reading & { readonly calendar: string | null; readonly seed: number };

/** What a bundle is made of. */
export type Tuned = {
  readonly name: string;
  readonly origin: Origin;
  readonly parameters: Parameters;
  readonly referenceYear: number;
  readonly reference: readonly Day[];
  readonly recent: readonly Day[];
  readonly stood: readonly StoodAlert[] | null;
  /** Special days that people told the source. */
  readonly specials: readonly NamedDay[];
  readonly tried: readonly TriedSetting[];
  /** One a setting where alerts of a store are known, else none. */
  readonly whatIfs: readonly WhatIf[];
  readonly recommended: number;
  /** The holidays that settings were tried with; null where none are known. */
  readonly holidays: Calendar | null;
};

/**
 * SHA-256 of days, in hex: over the UTF-8 of `JSON.stringify([date, activity, gaps, filled])` and a line feed for
 * each, in order of date. Two files that say the same of the same days have the same digest.
 */
export const daysDigest = (days: readonly Day[]): string => {
  const hash = createHash('sha256');
  for (const { date, activity, gaps, filled } of days)
    hash.update(`${JSON.stringify([date, activity, gaps, filled])}\n`);
  return hash.digest('hex');
};

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

const spanOf = (days: readonly Day[]) => ({
  days: days.length,
  from: days[0]?.date ?? null,
  to: days.at(-1)?.date ?? null,
  sha256: daysDigest(days),
});

/** What the data of a sweep are known by. */
export const dataFacts = ({
  reference,
  recent,
  stood,
  specials,
}: Pick<Tuned, 'reference' | 'recent' | 'stood' | 'specials'>) => ({
  slices: reference[0]?.activity.length ?? 0,
  reference: spanOf(reference),
  recent: spanOf(recent),
  alerts: stood && {
    days: stood.length,
    sha256: digestOf(stood.map(({ date, verdict }) => [date, verdict])),
  },
  specialDays: {
    days: specials.length,
    sha256: digestOf(specials.map(({ date, name }) => [date, name])),
  },
});

/** What the holidays of a sweep are known by: where they are from and why, in words; null for none. */
export const calendarFacts = ({ holidays }: Pick<Tuned, 'holidays'>) =>
  holidays && {
    code: holidays.code,
    origin: holidays.origin,
    evidence: holidays.evidence,
    library: holidays.library,
    sha256: digestOf(holidays.holidays.map(({ date, name }) => [date, name])),
  };

/** The numbers of one setting: what the bundle keeps of it and what --json prints. */
export const settingFacts = (tried: TriedSetting, whatIf: WhatIf | undefined) => {
  const { asked, models, bounds, fit, silhouette, hitRate } = tried;
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
  };
};

/** The limits beside the bounds, which all models of a setting share; null where bounds alone decide. */
export const limitsOf = (models: readonly ModelDraft[]): Limits | null => models[0]?.limits ?? null;

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
    modelsSha256: digestOf(models),
    assignmentsSha256: digestOf(
      assignments.map(({ date, modelId, plannedId }) => [date, modelId, plannedId]),
    ),
    leftOut,
    alerts: days.flatMap(({ date, finding }) => (finding ? { date, ...finding } : [])),
  };
};

/** The bundle's text: no time of day, no path, nothing of a machine, so that the same sweep is the same bytes. */
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

/** What a replay reads of a bundle; all the rest is compared as text. */
export type Bundle = {
  readonly engine: string;
  readonly name: string;
  readonly origin: Origin;
  readonly parameters: Parameters;
  readonly referenceYear: number;
  readonly data: ReturnType<typeof dataFacts>;
};

/** A file that is no bundle, or one of a format that this program does not know. */
export class NoBundle extends Error {
  readonly name = 'NoBundle';
}

/** Reads a bundle. @throws NoBundle with the reason */
export const readBundle = (text: string): Bundle => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NoBundle('it is not JSON');
  }
  const { format, engine, name, origin, parameters, referenceYear, data } = (value ?? {}) as Partial<
    Bundle & { readonly format: unknown }
  >;
  if (format !== bundleFormat)
    throw new NoBundle(`its format is ${JSON.stringify(format) ?? 'not told'}, expected "${bundleFormat}"`);
  const numbers = (list: unknown): boolean =>
    Array.isArray(list) && list.every(one => typeof one === 'number');
  if (
    typeof engine !== 'string' ||
    typeof name !== 'string' ||
    !['files', 'store'].includes(origin?.kind ?? '') ||
    !data?.reference ||
    !data.recent ||
    !numbers(parameters?.counts) ||
    !numbers(parameters?.levels) ||
    !Number.isSafeInteger(parameters?.seed) ||
    referenceYear === undefined ||
    !Number.isSafeInteger(referenceYear)
  )
    throw new NoBundle('it lacks what a replay needs: engine, name, origin, parameters, data');
  return { engine, name, origin, parameters, referenceYear, data } as Bundle;
};

/** The path of the first value in which two JSON texts differ, with both values; undefined when they are equal. */
export const firstDifference = (recorded: string, now: string): string | undefined => {
  if (recorded === now) return undefined;
  const shown = (value: unknown): string => {
    const text = value === undefined ? 'nothing' : JSON.stringify(value);
    return text.length > 60 ? `${text.slice(0, 60)}…` : text;
  };
  const differ = (a: unknown, b: unknown, path: string): string | undefined => {
    const isNode = (value: unknown): value is Record<string, unknown> =>
      typeof value === 'object' && value !== null;
    if (!isNode(a) || !isNode(b) || Array.isArray(a) !== Array.isArray(b))
      return a === b ? undefined : `${path || '/'}: the bundle has ${shown(a)}, this run ${shown(b)}`;
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const found = differ(a[key], b[key], `${path}/${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return (
    differ(JSON.parse(recorded), JSON.parse(now), '') ??
    'the values are equal, but not the text: the bundle was written otherwise'
  );
};

/**
 * The body of POST /v1/model/bulk-replace/{source_id} that installs these models. It cannot carry their limits on the
 * window and on the day: models that people supply have bounds alone.
 */
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
