import { useId } from 'react';
import { useMessages } from '../../messages/messages.js';

const sizes = [4, 8, 12, 24, 48, 72, 144];

/** Optional parameters of a new source from CSV: slices, gaps, aggregation and public holidays. */
export const SourceChoices = ({
  calendar,
  onChange,
}: {
  readonly calendar: string;
  /** Called with the name of a parameter and its value, empty for the default. */
  readonly onChange: (name: string, value: string) => void;
}) => {
  const { imports: texts } = useMessages();
  const id = useId();
  const slices = sizes.map(size => [String(size), texts.slices(size)] as const);
  return (
    <div className="choices">
      <Choice
        label={texts.activitySize}
        values={[['', texts.automatic], ...slices]}
        onChange={value => onChange('activitySize', value)}
      />
      <Choice
        label={texts.interpolation}
        values={[
          ['', texts.zero],
          ['linear', texts.linear],
        ]}
        onChange={value => onChange('interpolationMethod', value)}
      />
      <Choice
        label={texts.aggregation}
        values={[
          ['', texts.mean],
          ['sum', texts.sum],
        ]}
        onChange={value => onChange('aggregation', value)}
      />
      <div className="field">
        <label htmlFor={id}>{texts.calendar}</label>
        <input
          id={id}
          className="input"
          placeholder={texts.inferred}
          maxLength={6}
          value={calendar}
          onChange={({ target }) => onChange('calendar', target.value.toUpperCase())}
        />
      </div>
    </div>
  );
};

const Choice = ({
  label,
  values,
  onChange,
}: {
  readonly label: string;
  readonly values: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}) => {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="select" onChange={({ target }) => onChange(target.value)}>
        {values.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};
