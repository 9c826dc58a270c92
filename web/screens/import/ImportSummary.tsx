import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';

export type Summary = {
  readonly lines: number;
  readonly days: number;
  readonly missingSamples: number;
  readonly filledSamples: number;
  readonly duplicates: number;
  readonly warnings: readonly { readonly code: string; readonly detail: string }[];
};

/** Summary of an imported file. */
export const ImportSummary = ({ summary }: { readonly summary: Summary }) => {
  const { imports: texts } = useMessages();
  const { number } = useFormats();
  const facts = [
    [texts.days, summary.days],
    [texts.lines, summary.lines],
    [texts.missing, summary.missingSamples],
    [texts.filled, summary.filledSamples],
    [texts.duplicates, summary.duplicates],
  ] as const;
  return (
    <>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{number(value)}</dd>
          </div>
        ))}
      </dl>
      {summary.warnings.length > 0 && (
        <ul className="stack tight">
          {summary.warnings.map(({ code, detail }) => (
            <li key={code + detail} className="notice" dir="auto">
              {detail}
            </li>
          ))}
        </ul>
      )}
    </>
  );
};
