import type { Limits } from '../../../../domain/planning/models.js';
import { plural } from '../../../../application/texts/counted.js';
import { shareText } from '../columns.js';
import { limitsOf } from '../facts.js';
import { bandOf, modelWords } from '../../report/dayFigure.js';
import { chart, escaped } from '../../report/html.js';
import { modelRange, observedOf } from '../../report/ranges.js';
import { fillOf } from './modelColors.js';
import { chip, section, type TuneReport } from './shown.js';

/** A chart of each model with its reference days. */
export const modelsSection = ({ tuned: { reference }, setting, models, keyOf }: TuneReport): string => {
  const { assignments, silhouette } = setting;
  const planned = new Map(assignments.map(({ date, plannedId }) => [date, plannedId]));
  const range = modelRange(models, reference);
  const figures = models.map((model, index) => {
    const days = reference.filter(({ date }) => planned.get(date) === model.id);
    const separation = silhouette?.models[index] ?? null;
    const facts = [
      `${plural(days.length, 'day')} planned`,
      `${model.days} nearest`,
      ...(separation === null ? [] : [`silhouette ${separation.toFixed(2)}`]),
    ];
    const key = keyOf(model.id);
    const drawn = chart(
      { kind: 'model', color: fillOf(model.id), model: bandOf(model), days: days.map(observedOf), ...range },
      modelWords(model),
    );
    return `<figure class="close" aria-label="${escaped(`Model ${model.name}`)}"><h3>${chip(key, model.id)} ${escaped(model.name)}</h3><figcaption>${escaped(facts.join(' · '))}</figcaption>${drawn}</figure>`;
  });
  const limits = limitsOf(models);
  return section(
    'The typical days',
    'Each thin line is a reference day for which this model is planned, the thick line is the day profile of the model, ' +
      'and the band shows its bounds. All charts have the same scale, in the unit of the source. Extreme values are cut off.',
    `${limits ? `<p class="quiet">${escaped(limitsText(limits))}</p>` : ''}<div class="multiples">${figures.join('\n')}</div>`,
  );
};

/** The limits besides the bounds, in sentences. */
const limitsText = ({ window, windowHours, day, windowChange, dayChange }: Limits): string => {
  const others = [
    ...(window < 1
      ? [
          `its mean over any ${windowHours} hours is at most ${shareText(window, 0)} of the way from the profile to them`,
        ]
      : []),
    ...(day < 1 ? [`its mean over the whole day at most ${shareText(day, 0)}`] : []),
  ];
  const sentences = [
    `A day is ordinary when no value is outside its bounds${others.length > 0 ? `, ${others.join(', and ')}` : ''}.`,
  ];
  if (others.length > 0)
    sentences.push(
      'So many small differences in one direction raise an alert, although each of them is inside the bounds.',
    );
  if (windowChange !== undefined && dayChange !== undefined)
    sentences.push(
      'When a day departs from its profile, the same two means are also compared with the days before; they change by ' +
        `at most ${shareText(windowChange, 0)} and ${shareText(dayChange, 0)}.`,
    );
  sentences.push(
    'Distances are relative to the bounds, so that night and noon count the same. In seasons that the reference does ' +
      'not have, all limits are up to a quarter wider.',
  );
  return sentences.join(' ');
};
