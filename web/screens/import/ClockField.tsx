import { useMessages } from '../../messages/messages.js';
import { SelectField } from '../../parts/Field.js';

/** Whether times of a file without an offset are in UTC or of the clock of its source; nothing for a source in UTC. */
export const ClockField = ({
  zone,
  value,
  onChange,
}: {
  readonly zone: string;
  /** `local`, or empty for UTC. */
  readonly value: string;
  readonly onChange: (clock: string) => void;
}) => {
  const { imports: texts } = useMessages();
  if (zone === 'UTC') return null;
  const options = [['', 'UTC'] as const, ['local', texts.localClock(zone)] as const];
  return <SelectField label={texts.clock} value={value} options={options} onChange={onChange} />;
};
