import { useRef, useState } from 'react';
import { useMessages } from '../messages/messages.js';

/** A place for one file: dropped, or chosen with a button. */
export const FileDrop = ({
  onFile,
  disabled = false,
}: {
  readonly onFile: (file: File) => void;
  readonly disabled?: boolean;
}) => {
  const { drop } = useMessages();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  return (
    <div
      className="drop"
      data-over={over || undefined}
      onDragOver={event => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer.files[0];
        if (file && !disabled) onFile(file);
      }}
    >
      <span>{drop.text}</span>
      <button type="button" className="button" disabled={disabled} onClick={() => input.current?.click()}>
        {drop.choose}
      </button>
      <input
        ref={input}
        type="file"
        accept=".csv,.json,.txt,text/csv,application/json"
        aria-label={drop.label}
        className="hidden"
        tabIndex={-1}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) onFile(file);
          target.value = '';
        }}
      />
    </div>
  );
};
