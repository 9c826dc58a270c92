import { useId } from 'react';
import type { Reset } from '../../api/sourceMutations.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';

const daysPerYear = 365;
const countMax = 64;
const coverageMin = 0.9;
const coverageMax = 0.995;

/** Number of models, false alerts that are accepted, and whether plans of people are kept. */
export const ResetFields = ({
  asked: { count, coverage, keepPlanning },
  onChange,
}: {
  readonly asked: Reset;
  readonly onChange: (next: Partial<Reset>) => void;
}) => {
  const { models: texts } = useMessages();
  const formats = useFormats();
  const id = useId();
  const falseAlerts = texts.falseAlerts(formats.number(Math.round((1 - coverage) * daysPerYear)));
  return (
    <>
      <div className="field">
        <label htmlFor={`${id}-count`}>{texts.count}</label>
        <input
          id={`${id}-count`}
          type="number"
          className="input"
          min={1}
          max={countMax}
          value={count}
          onChange={({ target }) =>
            onChange({ count: Math.min(countMax, Math.max(1, target.valueAsNumber || 1)) })
          }
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-coverage`}>{texts.coverage}</label>
        <input
          id={`${id}-coverage`}
          type="range"
          className="range"
          min={coverageMin}
          max={coverageMax}
          step={0.005}
          value={coverage}
          aria-valuetext={falseAlerts}
          onChange={({ target }) => onChange({ coverage: target.valueAsNumber })}
        />
        <output htmlFor={`${id}-coverage`} className="hint">
          {falseAlerts}
        </output>
      </div>
      <div className="check">
        <input
          id={`${id}-keep`}
          type="checkbox"
          checked={keepPlanning}
          onChange={({ target }) => onChange({ keepPlanning: target.checked })}
        />
        <label htmlFor={`${id}-keep`}>{texts.keepPlanning}</label>
      </div>
    </>
  );
};
