import { useMessages } from '../../messages/messages.js';

/** A label as it is typed; `row` identifies it while its key changes. */
export type LabelRow = { readonly row: number; readonly key: string; readonly value: string };

const labelsMax = 32;

/** Labels of a source, which group sources: a key and a value each. */
export const Labels = ({
  labels,
  onChange,
}: {
  readonly labels: readonly LabelRow[];
  readonly onChange: (labels: readonly LabelRow[]) => void;
}) => {
  const { settings: texts } = useMessages();
  const change = (row: number, next: Partial<LabelRow>): void =>
    onChange(labels.map(label => (label.row === row ? { ...label, ...next } : label)));
  return (
    <fieldset className="labels">
      <legend className="label">{texts.labels}</legend>
      {labels.map(({ row, key, value }, index) => (
        <div key={row} className="label-row">
          <input
            className="input"
            aria-label={texts.labelKey(index + 1)}
            placeholder={texts.keyExample}
            maxLength={63}
            pattern="[A-Za-z][A-Za-z0-9_.\-]*"
            value={key}
            onChange={({ target }) => change(row, { key: target.value })}
          />
          <input
            className="input"
            aria-label={texts.labelValue(index + 1)}
            placeholder={texts.valueExample}
            maxLength={100}
            required={key.trim() !== ''}
            dir="auto"
            value={value}
            onChange={({ target }) => change(row, { value: target.value })}
          />
          <button
            type="button"
            className="button quiet icon"
            aria-label={texts.removeLabel(key || String(index + 1))}
            onClick={() => onChange(labels.filter(label => label.row !== row))}
          >
            ×
          </button>
        </div>
      ))}
      <div>
        <button
          type="button"
          className="button"
          disabled={labels.length >= labelsMax}
          onClick={() =>
            onChange([
              ...labels,
              { row: Math.max(-1, ...labels.map(({ row }) => row)) + 1, key: '', value: '' },
            ])
          }
        >
          {texts.addLabel}
        </button>
      </div>
    </fieldset>
  );
};
