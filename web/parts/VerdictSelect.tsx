import type { Verdict } from '../api/client.js';
import { useMessages } from '../messages/messages.js';

const verdicts: readonly Verdict[] = ['anomaly', 'expected', 'notAnomaly', 'newPattern'];

/** A choice of a verdict, none at first: people choose it themselves. Its label is next to it, by `id`. */
export const VerdictSelect = ({
  id,
  value,
  onChange,
}: {
  readonly id: string;
  readonly value: Verdict | '';
  readonly onChange: (verdict: Verdict | '') => void;
}) => {
  const { alerts: texts, verdicts: names } = useMessages();
  return (
    <select
      id={id}
      className="select"
      value={value}
      onChange={({ target }) => onChange(target.value as Verdict | '')}
    >
      <option value="">{texts.noVerdict}</option>
      {verdicts.map(name => (
        <option key={name} value={name}>
          {names[name]}
        </option>
      ))}
    </select>
  );
};
