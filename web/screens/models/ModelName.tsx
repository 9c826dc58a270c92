import { useId, useRef, useState } from 'react';
import { useModelChange } from '../../api/sourceMutations.js';
import type { Model } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Faults.js';
import { modelColor } from '../../parts/modelColor.js';
import { useToast } from '../../parts/Toasts.js';

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

const ModelForm = ({
  sourceId,
  model,
  end,
}: {
  readonly sourceId: number;
  readonly model: Model;
  readonly end: () => void;
}) => {
  const { models: texts, save, cancel } = useMessages();
  const tell = useToast();
  const { mutate, isPending, error } = useModelChange(sourceId);
  const [name, setName] = useState(model.name);
  const [color, setColor] = useState(model.color.toLowerCase());
  const [anomaly, setAnomaly] = useState(model.anomaly);
  const id = useId();
  const patch = {
    ...(name.trim() !== model.name && { name: name.trim() }),
    ...(color !== model.color.toLowerCase() && { color }),
    ...(anomaly !== model.anomaly && { anomaly }),
  };
  const isChanged = Object.keys(patch).length > 0;
  return (
    <form
      className="stack tight model-form"
      onSubmit={event => {
        event.preventDefault();
        if (!isChanged) return end();
        mutate(
          { modelId: model.id, patch },
          {
            onSuccess: ({ alerts: { counts } }) => {
              tell(texts.changed(name.trim(), counts.raised, counts.invalidated));
              end();
            },
          },
        );
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') end();
      }}
    >
      <div className="row nowrap">
        <input
          type="color"
          className="color-input"
          aria-label={texts.color}
          value={color}
          onChange={({ target }) => setColor(target.value)}
        />
        <input
          className="input grow"
          aria-label={texts.name}
          maxLength={100}
          required
          dir="auto"
          autoFocus
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <div className="check">
        <input
          id={`${id}-anomaly`}
          type="checkbox"
          checked={anomaly}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => setAnomaly(target.checked)}
        />
        <label htmlFor={`${id}-anomaly`}>{texts.anomalyFlag}</label>
      </div>
      <p id={`${id}-hint`} className="hint">
        {texts.anomalyHint}
      </p>
      <div className="row">
        <button className="button primary" disabled={isPending || name.trim() === ''}>
          {save}
        </button>
        <button type="button" className="button" onClick={end}>
          {cancel}
        </button>
      </div>
      {error && <Faults error={error} />}
    </form>
  );
};
