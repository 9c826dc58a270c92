import type { Figure } from '../../adapters/cli/report/figures.js';
import { calendarChart } from '../charts/calendarChart.js';
import { dayChart } from '../charts/dayChart.js';
import { alertPicture, clockOf, hourOf, markWords, slicesOf, usualPicture } from '../charts/dayPicture.js';
import type { Drawing } from '../charts/chartParts.js';
import { lineChart, timelineChart } from '../charts/reportCharts.js';
import { profileChart } from '../charts/profileChart.js';
import { compactFormat } from '../messages/percent.js';
import '../styles/tokens.css';
import '../styles/base.css';
import './report.css';
import './tune.css';
import './audit.css';
import './print.css';

// A report is in English, like its tables; the message catalogue of the screens would include React.
const { format: number } = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const compact = compactFormat('en');
/** Size of text over 16 pixels: large screens have larger text. */
const scaleOf = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

const tips = { actual: 'actual', expected: 'expected', bounds: 'bounds', usual: 'usual' };

/** Words of a broken limit. */
const texts: Parameters<typeof markWords>[2]['texts'] = {
  meanMark: (actual, bound) => `mean ${actual}, limit ${bound}`,
  sliceMark: (time, actual, bound) => `${actual} at ${time}, limit ${bound}`,
};

const draw = (figure: Figure, width: number): Drawing => {
  const scale = scaleOf();
  switch (figure.kind) {
    case 'day': {
      const { alert, suffix } = figure;
      const day = alert ? alertPicture(figure.day, alert) : usualPicture(figure.day);
      const markText = day.mark && markWords(day.mark, slicesOf(day), { texts, formats: { number }, suffix });
      const shown = { ...tips, number: (value: number) => number(value) + suffix };
      const height = Math.min(320, 150 + width * 0.18) * scale;
      return dayChart(day, {
        ...{ width, height, scale, compact, suffix, tips: shown },
        ...(markText !== undefined && { markText }),
      });
    }
    case 'model': {
      const { model, days, min, max } = figure;
      const { activity, top, bottom } = model;
      const tip = (slice: number): string =>
        [
          `${clockOf(hourOf(slice, activity.length))}–${clockOf(hourOf(slice + 1, activity.length))}`,
          `expected  ${number(activity[slice] ?? 0)}`,
          `bounds  ${number(bottom[slice] ?? 0)} – ${number(top[slice] ?? 0)}`,
        ].join('\n');
      return profileChart(model, { width, height: 210 * scale, min, max, compact, suffix: '', days, tip });
    }
    case 'spark': {
      const { top, bottom } = figure.model;
      const range = { min: Math.min(...bottom), max: Math.max(...top) };
      return profileChart(figure.model, {
        width: 132,
        height: 34,
        compact,
        suffix: '',
        bare: true,
        ...range,
      });
    }
    case 'calendar':
      return calendarChart(figure.days, { width, scale });
    case 'lines':
      return lineChart(figure, { width, height: 250 * scale });
    case 'timeline':
      return timelineChart(figure, { width, scale });
  }
};

/** Draws the chart of an element, and draws it again when the width changes. Its text stays for screen readers. */
const show = (place: HTMLElement): void => {
  const figure = JSON.parse(place.querySelector('script')?.textContent ?? 'null') as Figure;
  const canvas = document.createElement('div');
  if ('color' in figure && figure.color !== null) {
    canvas.style.setProperty('--band', figure.color);
    canvas.style.setProperty('--model', figure.color);
  }
  place.prepend(canvas);
  let drawnWidth = 0;
  const update = (): void => {
    const width = Math.floor(place.clientWidth);
    if (width === 0 || width === drawnWidth) return;
    drawnWidth = width;
    canvas.replaceChildren(draw(figure, width));
  };
  update();
  place.classList.add('drawn');
  new ResizeObserver(update).observe(place);
};

for (const place of document.querySelectorAll<HTMLElement>('.chart')) show(place);
