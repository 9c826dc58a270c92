import { columnsFor } from '../columns.js';
import { dataFacts } from '../facts.js';
import { escaped } from '../../report/html.js';
import { section, type TuneReport } from './shown.js';
import { resetPath } from './words.js';

const criticityMeaning =
  '0 to 1, higher for a less probable day: 1 − p^¼, with p the share of ordinary days that would be as far from their ' +
  'models. One in a hundred has 0.68, one in ten thousand 0.9. For a gap it is the missing share of the data of ' +
  'reference days, for a flatline how much longer it is than the longest one in the reference.';

const currentMeaning =
  'The last alert of each recent day that no check has invalidated and that was raised on the current data. Verdicts ' +
  'on data that was replaced later are not used. Planning by users is not used either: under every setting the ' +
  'planning is automatic.';

/** Explains the numbers. */
export const meaningsSection = ({ tuned }: TuneReport): string => {
  const meanings: (readonly [term: string, meaning: string])[] = [
    ...columnsFor(tuned).map(({ head, meaning }) => [head, meaning] as const),
    ['criticity', criticityMeaning],
    ...(tuned.validAlerts === null ? [] : [['current', currentMeaning] as const]),
  ];
  return section(
    'Meaning of the numbers',
    'In the order of the table of settings.',
    `<dl>${meanings
      .map(([term, meaning]) => `<dt>${escaped(term)}</dt><dd>${escaped(meaning)}</dd>`)
      .join('\n')}</dl>`,
  );
};

/** How to use the setting in the service. */
export const installSection = ({ tuned, setting }: TuneReport): string => {
  const source = tuned.origin.kind === 'store' ? String(tuned.origin.sourceId) : '{source_id}';
  const more = setting.asked.coverage === null ? '' : ' and target coverage';
  const given = `number of models${more}${tuned.covariates.length === 0 ? '' : ', with the same covariates in explainedBy,'}`;
  return section(
    'Using this setting',
    `Let the service learn it. The same days and the same ${given} give the same models, and all numbers of this report apply.`,
    `<pre>${escaped(resetPath(tuned, setting))}</pre>
<p class="quiet">Or install <code>models.json</code>, unchanged or edited, with <code>POST /v1/model/bulk-replace/${escaped(source)}</code>. Installed models have bounds only. The limits on means and changes are lost, and with them flatlines, drift, and the measured coverage and error of this report. Expect other alerts than shown here.</p>`,
  );
};

/** How to reproduce the report, and the digests of the data. */
export const footer = ({ tuned, setting }: TuneReport): string => {
  const { origin, parameters } = tuned;
  const { reference, recent } = dataFacts(tuned);
  const data =
    origin.kind === 'files'
      ? [
          ...[origin.reference, ...(origin.recent === null ? [] : [origin.recent])],
          ...(origin.explainedBy ?? []).map(({ name, file }) => `--explained-by "${name}=${file}"`),
        ]
      : [`--source ${origin.sourceId} --log <log>`];
  return `<footer class="small">
<p>These results can be reproduced to the byte from the same data, with engine ${escaped(setting.engine)} and seed ${parameters.seed}:</p>
<pre>daybook tune --replay bundle.json ${escaped(data.join(' '))}</pre>
<p class="quiet hash">SHA-256 of the reference days ${reference.sha256}${recent.days > 0 ? `<br>SHA-256 of the recent days ${recent.sha256}` : ''}</p>
</footer>`;
};
