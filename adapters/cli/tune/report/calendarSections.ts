import type { TriedDay } from '../../../../analysis/tuning/trySetting.js';
import type { Finding } from '../../../../domain/alerts/findings.js';
import { dayName } from '../../terminal/text.js';
import { plural } from '../../../../domain/text.js';
import type { Tuned } from '../facts.js';
import type { CalendarFigure } from '../../report/figures.js';
import { chart, escaped } from '../../report/html.js';
import { fillOf, inkOf, chip, roughly, section, type TuneReport, calendarText } from './words.js';

/** Most days of a calendar: two years and a few days. */
const calendarDaysMax = 740;

/** A date of a calendar, before it is drawn. */
type Cell = {
  readonly date: string;
  /** The planned model; null for none. */
  readonly modelId: number | null;
  readonly key: string;
  /** Text under the pointer, after the date. */
  readonly words: string;
  /** Name of the holiday or special day. */
  readonly holiday: string | null;
  /** The nearest model, if it is not the planned one. */
  readonly nearest?: number | null;
  readonly alert?: boolean;
};

const figureOf = (cells: readonly Cell[]): CalendarFigure => ({
  kind: 'calendar',
  days: cells.map(({ date, modelId, key, words, holiday, nearest = null, alert }) => ({
    date,
    color: modelId === null ? null : fillOf(modelId),
    ink: modelId === null ? null : inkOf(modelId),
    key,
    title: [dayName(date), words, ...(holiday === null ? [] : [holiday])].join(' · '),
    ringed: holiday !== null,
    corner: nearest === null ? null : fillOf(nearest),
    ...(alert !== undefined && { alert }),
  })),
});

/** The number of days of each model in words, and of those without one. */
const calendarWords = (cells: readonly Cell[], { models, keyOf }: TuneReport): string => {
  const counts = models.map(({ id, name }) => {
    const count = cells.filter(({ modelId }) => modelId === id).length;
    return `${keyOf(id)}, ${name}: ${plural(count, 'day')}`;
  });
  const without = cells.filter(({ modelId }) => modelId === null).length;
  return `${[...counts, ...(without > 0 ? [`no model: ${plural(without, 'day')}`] : [])].join('; ')}.`;
};

const calendar = (title: string, cells: readonly Cell[], shown: TuneReport): string =>
  `<figure aria-label="${title}">${chart(figureOf(cells), calendarWords(cells, shown))}</figure>`;

/** The legend of the rings around dates; empty without holidays and special days. */
const ringItems = ({ holidays, specials }: Tuned): string[] => {
  const names = [
    ...(holidays === null ? [] : ['public holiday']),
    ...(specials.length === 0 ? [] : ['special day']),
  ];
  return names.length === 0 ? [] : [`<li><span class="ringed"></span>${names.join(', ')}</li>`];
};

const legendOf = ({ tuned, models, keyOf }: TuneReport, more: readonly string[]): string =>
  `<ul class="legend">${[
    ...models.map(model => `<li>${chip(keyOf(model.id), model.id)}${escaped(model.name)}</li>`),
    ...ringItems(tuned),
    ...more.map(item => `<li>${item}</li>`),
  ].join('')}</ul>`;

/** Key of a day that was left out as an outlier. */
const outlierKey = '×';

/** Whether a reference day was left out as an outlier; otherwise it has too little data. */
const isOutlier = (reason: string): boolean => reason.startsWith('unusual');

/** The reference days with their planned models. */
const referenceCells = ({ tuned, setting, named, keyOf, modelOf }: TuneReport): Cell[] => {
  const assigned = new Map(setting.assignments.map(one => [one.date, one]));
  const reasons = new Map(setting.leftOut.map(({ date, reason }) => [date, reason]));
  const nameOf = (modelId: number): string => modelOf(modelId)?.name ?? '';
  return tuned.reference.map(({ date }): Cell => {
    const assignment = assigned.get(date);
    const holiday = named.get(date) ?? null;
    if (!assignment) {
      const reason = reasons.get(date) ?? 'not used for learning';
      const key = isOutlier(reason) ? outlierKey : '';
      return { date, modelId: null, key, words: `left out: ${reason}`, holiday };
    }
    const { modelId, plannedId } = assignment;
    const nearest = modelId === plannedId ? null : modelId;
    const words = `${nameOf(plannedId)}${nearest === null ? '' : `, nearer to ${nameOf(nearest)}`}`;
    return { date, modelId: plannedId, key: keyOf(plannedId), words, holiday, nearest };
  });
};

/** The reference as a calendar. */
export const referenceSection = (shown: TuneReport): string => {
  const { hitRate, models } = shown.setting;
  const cells = referenceCells(shown);
  const leftOut = new Set(cells.flatMap(({ modelId, key }) => (modelId === null ? [key] : [])));
  const hasCorners = cells.some(({ nearest }) => nearest !== null && nearest !== undefined);
  const hits =
    hitRate === null || models.length === 1
      ? ''
      : ` Hit rate: ${roughly(hitRate)} of held-out days are nearest to the model planned for them. A low rate does little harm when models are similar.`;
  return section(
    'The reference, day by day',
    escaped(
      'Each column is a week and each square a day, with the key and the colour of its planned model.' +
        (hasCorners ? ' A corner in another colour: the day is nearer to that model.' : '') +
        `${hits} Holidays: ${calendarText(shown.tuned)}.`,
    ),
    legendOf(shown, [
      ...(leftOut.has(outlierKey)
        ? [`<span class="chip strange">${outlierKey}</span>left out: outlier`]
        : []),
      ...(leftOut.has('') ? ['<span class="chip strange"></span>left out: too little data'] : []),
    ]) + calendar('The planned model of each reference day', cells, shown),
  );
};

/** Longest list of days that were left out. */
const leftOutListed = 60;

/** The reference days that were not used for learning, with the reasons. */
export const leftOutSection = ({ setting: { leftOut }, named }: TuneReport): string => {
  if (leftOut.length === 0) return '';
  const items = leftOut.slice(0, leftOutListed).map(({ date, reason }) => {
    const name = named.get(date);
    return `<li><b>${escaped(dayName(date))}</b>${name === undefined ? '' : ` (${escaped(name)})`} ${escaped(reason)}</li>`;
  });
  const more =
    leftOut.length > leftOutListed ? `<p class="quiet">And ${leftOut.length - leftOutListed} more.</p>` : '';
  return section(
    'Reference days that were left out',
    'These days are outliers or have too little data, so no model was learned from them. If you know the reason, name ' +
      'them as special days: then similar days in the future are expected.',
    `<ul class="listed">${items.join('\n')}</ul>${more}`,
  );
};

const kindWords = {
  activity: 'alert',
  frozen: 'alert: flatline',
  drift: 'alert: drift begins',
  gap: 'alert: too little data',
} as const satisfies Record<Finding['kind'], string>;

const alertWords = ({ finding, outcome }: TriedDay): string[] => {
  if (finding) return [kindWords[finding.kind]];
  return outcome === 'drift' ? ['drift continues'] : [];
};

/** The recent days as a calendar, with their planned models and alerts; empty without recent days. */
export const recentSection = (shown: TuneReport): string => {
  const { tuned, setting, named, keyOf, modelOf } = shown;
  if (tuned.recent.length === 0) return '';
  const days = setting.days.slice(-calendarDaysMax);
  const cells = days.map((day): Cell => {
    const { date, plannedModelId, finding, reason } = day;
    return {
      date,
      modelId: plannedModelId,
      key: keyOf(plannedModelId),
      words: [`${modelOf(plannedModelId)?.name ?? 'no model'}: ${reason}`, ...alertWords(day)].join(' · '),
      holiday: named.get(date) ?? null,
      alert: finding !== null,
    };
  });
  const cut = days.length < setting.days.length ? ` Only the last ${calendarDaysMax} days are shown.` : '';
  return section(
    'The recent days: planned models and alerts',
    `Each day has the key and the colour of the model that it is compared with. Alerts have a dot and full colour.${cut}`,
    `<ul class="legend"><li><span class="dotted"></span>alert</li>${ringItems(tuned).join('')}</ul>` +
      calendar('The planned model and the alerts of each recent day', cells, shown),
  );
};
