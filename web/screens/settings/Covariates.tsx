import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import type { Source } from '../../api/client.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { unbroken } from '../../messages/percent.js';
import { Select } from '../../parts/Field.js';
import { useSourceNames } from '../../api/queries.js';

const covariatesMax = 3;

/** Other sources that explain a source, such as the outside temperature, and what learning found out about each. */
export const Covariates = ({
  source,
  ids,
  onChange,
}: {
  readonly source: Source;
  readonly ids: readonly number[];
  readonly onChange: (ids: readonly number[]) => void;
}) => {
  const { explained: texts } = useMessages();
  const { locale } = useFormats();
  const names = useSourceNames();
  const id = useId();
  const offered = [...names]
    .filter(([other]) => other !== source.id && !ids.includes(other))
    .sort(([, a], [, b]) => a.localeCompare(b, locale));
  return (
    <fieldset className="covariates" aria-describedby={`${id}-hint`}>
      <legend className="label">{texts.title}</legend>
      {ids.map(other => {
        const name = names.get(other) ?? texts.source(other);
        return (
          <div key={other} className="covariate">
            <Link to="/sources/$sourceId/settings" params={{ sourceId: other }} title={name} dir="auto">
              {name}
            </Link>
            <button
              type="button"
              className="button quiet icon"
              aria-label={texts.remove(name)}
              onClick={() => onChange(ids.filter(kept => kept !== other))}
            >
              ×
            </button>
            <p className="hint">{learnedAbout(source, other, texts)}</p>
          </div>
        );
      })}
      {ids.length < covariatesMax && offered.length > 0 && (
        <Select
          label={texts.add}
          value=""
          options={offered.map(([other, name]) => [String(other), name])}
          onChange={chosen => onChange([...ids, Number(chosen)])}
        >
          <option value="" disabled hidden>
            {texts.add}
          </option>
        </Select>
      )}
      <p id={`${id}-hint`} className="hint">
        {texts.hint}
      </p>
    </fieldset>
  );
};

/** Whether the models in force use another source, and why. */
const learnedAbout = (
  { analysis }: Source,
  id: number,
  texts: ReturnType<typeof useMessages>['explained'],
): string => {
  const learned = analysis.explainedBy?.find(({ sourceId }) => sourceId === id);
  if (!learned) return texts.notLearned;
  return (learned.used ? texts.used : texts.notUsed)(unbroken(learned.reason));
};
