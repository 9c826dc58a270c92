import { shareText } from '../columns.js';
import { covariateResults } from '../covariateWords.js';
import { escaped } from '../../report/html.js';
import { section, type TuneReport } from './shown.js';

/** Heads of the columns after the first, and whether their cells are words, which are read from the left. */
const columns: readonly (readonly [head: string, isWords: boolean])[] = [
  ['result', true],
  ['held-out error falls by', false],
  ['reason', true],
  ['effect', true],
];
const classOf = (isWords: boolean | undefined): string => (isWords ? ' class="words"' : '');

/** The result for each covariate under the shown setting; empty without covariates. */
export const covariatesSection = ({ setting }: TuneReport): string => {
  const results = covariateResults(setting);
  if (results.length === 0) return '';
  const rows = results.map(({ name, used, errorReduction, reason, words }) => {
    const cells = [used ? 'kept' : 'dropped', shareText(errorReduction), reason, words ?? '–'];
    const texts = cells.map((text, index) => `<td${classOf(columns[index]?.[1])}>${escaped(text)}</td>`);
    return `<tr><th scope="row">${escaped(name)}</th>${texts.join('')}</tr>`;
  });
  const heads = columns.map(([head, isWords]) => `<th scope="col"${classOf(isWords)}>${head}</th>`);
  return section(
    'Covariates',
    'Series that may explain the level of a day. One is kept where it lowers the error of the level of days whose fold was held out.',
    `<div class="wide" tabindex="0" role="region" aria-label="Covariates"><table><thead><tr><th scope="col">covariate</th>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`,
  );
};
