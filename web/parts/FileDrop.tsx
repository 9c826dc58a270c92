import { useState, useRef } from 'react';
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
      <FileButton
        text={drop.choose}
        label={drop.label}
        accept=".csv,.json,.txt,text/csv,application/json"
        disabled={disabled}
        onFile={onFile}
      />
    </div>
  );
};

/** A button that opens the file dialog of the browser. */
export const FileButton = ({
  text,
  label,
  accept,
  disabled,
  onFile,
}: {
  readonly text: string;
  /** Name of the field for screen readers. */
  readonly label: string;
  readonly accept: string;
  readonly disabled: boolean;
  readonly onFile: (file: File) => void;
}) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="button" disabled={disabled} onClick={() => input.current?.click()}>
        {text}
      </button>
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={label}
        className="hidden"
        tabIndex={-1}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) onFile(file);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
    </>
  );
};
