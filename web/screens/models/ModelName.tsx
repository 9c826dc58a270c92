import { useRef, useState } from 'react';
import type { Model } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';
import { ModelForm } from './ModelForm.js';

/** Name and colour of a model; people who may change models edit them, and whether it is a known anomaly, in place. */
export const ModelName = ({
  sourceId,
  model,
  editable,
}: {
  readonly sourceId: number;
  readonly model: Model;
  readonly editable: boolean;
}) => {
  const { models: texts } = useMessages();
  const [isEditing, setIsEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const end = (): void => {
    setIsEditing(false);
    // The button comes back with the next frame.
    requestAnimationFrame(() => button.current?.focus());
  };
  if (isEditing) return <ModelForm sourceId={sourceId} model={model} end={end} />;
  return (
    <div className="model-head">
      <h2 className="model-name">
        <i className="dot" style={{ background: modelColor(model.color) }} />
        <span dir="auto">{model.name}</span>
      </h2>
      {editable && (
        <button
          ref={button}
          className="button quiet"
          aria-label={texts.edit(model.name)}
          onClick={() => setIsEditing(true)}
        >
          {texts.editShort}
        </button>
      )}
    </div>
  );
};
