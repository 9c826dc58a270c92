import { useId } from 'react';
import { useMessages } from '../../messages/messages.js';

const nameMax = 100;

/** Name of a source from the name of its file. */
export const nameOf = (file: File): string =>
  file.name
    .replace(/\.[^.]*$/, '')
    .replace(/[._-]?reference$/i, '')
    .replaceAll(/[_.]+/g, ' ')
    .slice(0, nameMax);

/** The name of a new source. */
export const SourceName = ({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) => {
  const { imports: texts } = useMessages();
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{texts.name}</label>
      <input
        id={id}
        className="input"
        required
        maxLength={nameMax}
        dir="auto"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
};
