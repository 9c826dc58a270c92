import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { plural } from '../../../domain/text.js';
import type { ModelDraft } from '../../../domain/planning/models.js';
import { SettingsError } from '../../settings/values.js';
import { accessOf, answerTo, type Sent } from '../pull/daybook.js';
import { PullFault } from '../pull/retries.js';
import { plain, wrap } from '../terminal/text.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import type { ApplyTo } from './options.js';
import { settingQuery } from './report/words.js';
import type { TuneOutput } from './results.js';

/** Asks a question on the terminal; resolves to its answer. */
export type Ask = (question: string) => Promise<string>;

/** Repetitions of a request that may succeed later: some four seconds. */
const retries = 3;

/** Dates that a line names. */
const datesMax = 8;

const textWidthMax = 110;

type NamedModel = Pick<ModelDraft, 'name' | 'activity' | 'topTolerance' | 'bottomTolerance'>;
type FoundAlert = { readonly date: string };
type Override = { readonly date: string; readonly to: { readonly name: string } | null };

/** The part of the answer of a preview that is shown. */
type Preview = {
  readonly models: readonly NamedModel[];
  readonly overrides: readonly Override[];
  readonly alerts: {
    readonly gained: readonly FoundAlert[];
    readonly lost: readonly FoundAlert[];
    readonly counts: Readonly<Record<'gained' | 'kept' | 'lost', number>>;
  };
  readonly endedChanges: readonly {
    readonly incidentId: string;
    readonly change: { readonly summary: string };
  }[];
};
type Present = { readonly models: readonly NamedModel[] };
type Source = { readonly name: string };

const datesText = (found: readonly FoundAlert[], count: number): string => {
  if (count === 0) return '';
  const dates = found.slice(0, datesMax).map(({ date }) => date);
  return `: ${dates.join(', ')}${count > dates.length ? ' …' : ''}`;
};

const sameProfiles = (one: NamedModel, other: NamedModel): boolean =>
  (['activity', 'topTolerance', 'bottomTolerance'] as const).every(
    part => JSON.stringify(one[part]) === JSON.stringify(other[part]),
  );

/** Whether the service learns the models that were tried; it learns others from other days or another calendar. */
const agreement = (here: readonly NamedModel[], there: readonly NamedModel[]): string =>
  here.length === there.length && here.every((model, at) => there[at] && sameProfiles(model, there[at]))
    ? 'The service learns the same models, to the last digit.'
    : 'The service learns other models than those of this run: its reference days, calendar, special days or ' +
      'covariates are others. The numbers above do not hold for it; tune --source reads its own days.';

/** The changes that the setting makes in the source, in lines. */
export const previewText = (
  { name }: Source,
  tried: readonly NamedModel[],
  present: readonly NamedModel[],
  { models, overrides, alerts: { gained, lost, counts }, endedChanges }: Preview,
): readonly string[] => {
  const names = (list: readonly NamedModel[]): string => list.map(model => model.name).join(', ');
  const dropped = overrides.filter(({ to }) => to === null).length;
  const ended = endedChanges.map(({ incidentId, change }) => `${change.summary} (incident ${incidentId})`);
  return [
    `Source ${name}: ${plural(present.length, 'model')} now (${names(present) || 'none'}).`,
    `With the setting: ${plural(models.length, 'model')} (${names(models)}).`,
    agreement(tried, models),
    `Alerts gained ${counts.gained}${datesText(gained, counts.gained)}; kept ${counts.kept}; ` +
      `lost ${counts.lost}${datesText(lost, counts.lost)}.`,
    ...(overrides.length > 0
      ? [`Overrides of the planning: ${overrides.length - dropped} carried, ${dropped} dropped.`]
      : []),
    ...(ended.length > 0 ? [`Accepted changes that end: ${ended.join('; ')}.`] : []),
  ].map(plain);
};

/** Questions on a terminal. Its end, Ctrl-D or Ctrl-C, is an empty answer. */
export const askOn =
  (input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Ask =>
  question =>
    new Promise(resolve => {
      const terminal = createInterface({ input, output });
      let answer: string | undefined;
      terminal.once('close', () => {
        if (answer === undefined) output.write('\n');
        resolve(answer ?? '');
      });
      terminal.question(question, text => {
        answer = text;
        terminal.close();
      });
    });

/** The environment of a command, where it writes, and how it asks; null without a terminal. */
export type Applying = {
  readonly env: NodeJS.ProcessEnv;
  readonly output: TuneOutput;
  readonly ask: Ask | null;
};

/** Refuses a setting that could not be applied, before anything is computed. @throws SettingsError */
export const requireApplicable = (applyTo: ApplyTo | null, { env, ask }: Omit<Applying, 'output'>): void => {
  if (!applyTo) return;
  accessOf(env, 'the scopes read and model');
  if (!applyTo.yes && ask === null)
    throw new SettingsError('--apply-to: got no terminal to ask on, expected --yes');
};

/**
 * Shows what a setting changes in a source of the service, asks, and lets the service learn it.
 * @returns the exit code: 0 also when the answer was no
 */
export const applySetting = async (
  { sourceId, yes }: ApplyTo,
  picked: Pick<TriedSetting, 'asked' | 'fit' | 'models'>,
  { env, output: { stderr, width }, ask }: Applying,
): Promise<number> => {
  const access = accessOf(env, 'the scopes read and model');
  const { signal } = new AbortController();
  const send = (sent: Sent): Promise<unknown> => answerTo(access, sent, { retries, signal });
  const setting = `${sourceId}/${settingQuery(picked)}`;
  const lines = (texts: readonly string[]): void =>
    stderr(`${texts.flatMap(text => wrap(text, Math.min(textWidthMax, width))).join('\n')}\n`);
  try {
    const about = (await send({ method: 'GET', path: `/v1/source/${sourceId}` })) as Source;
    const present = (await send({ method: 'GET', path: `/v1/model/list/${sourceId}` })) as Present;
    const preview = (await send({ method: 'POST', path: `/v1/model/preview/${setting}` })) as Preview;
    lines(previewText(about, picked.models, present.models, preview));
    if (!yes && !/^(y|yes)$/i.test((await ask?.('Apply? [y/N] '))?.trim() ?? '')) {
      lines(['Nothing was changed.']);
      return 0;
    }
    await send({ method: 'POST', path: `/v1/model/reset/${setting}`, key: randomUUID() });
    lines([
      `Source ${sourceId} learns the setting now: GET /v1/source/${sourceId} says how its analysis ends. ` +
        'Earlier models can be restored: POST /v1/model/restore.',
    ]);
    return 0;
  } catch (error) {
    if (!(error instanceof PullFault)) throw error;
    stderr(`${error.message}\n`);
    return error.exitCode;
  }
};
