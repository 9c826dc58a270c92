import { percent } from '../columns.js';
import { covariateResults } from '../covariateWords.js';
import { escaped } from '../../report/html.js';
import { section, type TuneReport } from './shown.js';

const heads = ['covariate', 'result', 'held-out error falls by', 'reason', 'effect'];

/** The result for each covariate under the shown setting; empty without covariates. */
export const covariatesSection = ({ setting }: TuneReport): string => {
  const results = covariateResults(setting);
  if (results.length === 0) return '';
  const rows = results.map(({ name, used, errorReduction, reason, words }) => {
    const cells = [used ? 'kept' : 'dropped', percent(errorReduction), reason, words ?? '–'];
    const texts = cells.map((text, index) => `<td${index < 2 ? '' : ' class="words"'}>${escaped(text)}</td>`);
    return `<tr><th scope="row">${escaped(name)}</th>${texts.join('')}</tr>`;
  });
  return section(
    'Covariates',
    'Series that may explain the level of a day. One is kept where it lowers the error of the level of days whose fold was held out.',
    `<div class="wide" tabindex="0" role="region" aria-label="Covariates"><table><thead><tr>${heads.map(head => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`,
  );
};
