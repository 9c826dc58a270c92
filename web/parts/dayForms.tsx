import { useId, useState } from 'react';
import type { Model } from '../api/client.js';
import { useMessages } from '../messages/messages.js';
import { ModelSelect } from './Select.js';

/** A choice of the model that one or more dates follow. */
export const PlanDays = ({
  label,
  models,
  pending,
  onPlan,
}: {
  readonly label: string;
  readonly models: readonly Model[];
  readonly pending: boolean;
  readonly onPlan: (model: Model) => void;
}) => {
  const { plan } = useMessages().alert;
  const [modelId, setModelId] = useState('');
  const id = useId();
  const model = models.find(one => String(one.id) === modelId);
  return (
    <form
      className="field"
      onSubmit={event => {
        event.preventDefault();
        if (model) onPlan(model);
      }}
    >
      <label htmlFor={id}>{label}</label>
      <div className="row nowrap">
        <ModelSelect id={id} models={models} value={modelId} onChange={setModelId} />
        <button className="button" disabled={!model || pending}>
          {plan}
        </button>
      </div>
    </form>
  );
};

const nameMax = 100;

/** A name that makes one or more dates special days. */
export const NameDays = ({
  pending,
  onName,
}: {
  readonly pending: boolean;
  /** `done` empties the field. */
  readonly onName: (name: string, done: () => void) => void;
}) => {
  const { alert: texts } = useMessages();
  const [typed, setTyped] = useState('');
  const id = useId();
  const name = typed.trim();
  return (
    <form
      className="field"
      onSubmit={event => {
        event.preventDefault();
        if (name !== '') onName(name, () => setTyped(''));
      }}
    >
      <label htmlFor={id}>{texts.special}</label>
      <div className="row nowrap">
        <input
          id={id}
          className="input grow"
          maxLength={nameMax}
          dir="auto"
          value={typed}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => setTyped(target.value)}
        />
        <button className="button" disabled={name === '' || pending}>
          {texts.name}
        </button>
      </div>
      <p id={`${id}-hint`} className="hint">
        {texts.specialHint}
      </p>
    </form>
  );
};
