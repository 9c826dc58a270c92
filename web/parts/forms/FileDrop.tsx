import { useState } from 'react';
import { useMessages } from '../../messages/messages.js';
import { FileButton } from './FileButton.js';

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
