import { useId, useState } from 'react';
import { useModelChange } from '../../api/sourceMutations.js';
import type { Model } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Faults.js';
import { useToast } from '../../parts/Toasts.js';

const nameMax = 100;

/** Fields for the name, the colour and the anomaly flag of a model. */
export const ModelForm = ({
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
          maxLength={nameMax}
          required
          dir="auto"
          autoFocus
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <AnomalyFlag checked={anomaly} onChange={setAnomaly} />
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

const AnomalyFlag = ({
  checked,
  onChange,
}: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) => {
  const { models: texts } = useMessages();
  const id = useId();
  return (
    <>
      <div className="check">
        <input
          id={id}
          type="checkbox"
          checked={checked}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => onChange(target.checked)}
        />
        <label htmlFor={id}>{texts.anomalyFlag}</label>
      </div>
      <p id={`${id}-hint`} className="hint">
        {texts.anomalyHint}
      </p>
    </>
  );
};
