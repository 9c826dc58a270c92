import { useState } from 'react';
import type { Model } from '../api/client.js';
import { modelNameOf, useFormats } from '../messages/formats.js';
import { useMessages } from '../messages/messages.js';
import { unlessTyped } from './drafts.js';
import { LineForm, ModelSelect } from './Field.js';

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
  /** Called with the id of the model and its name in the reader's language. */
  readonly onPlan: (modelId: number, name: string) => void;
}) => {
  const { plan } = useMessages().alert;
  const formats = useFormats();
  const [modelId, setModelId] = useState('');
  const model = models.find(one => String(one.id) === modelId);
  return (
    <LineForm
      label={label}
      button={plan}
      isReady={model !== undefined && !pending}
      onSubmit={() => model && onPlan(model.id, modelNameOf(model, formats))}
      onChange={setModelId}
      input={id => <ModelSelect id={id} models={models} value={modelId} onChange={setModelId} />}
    />
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
  const name = typed.trim();
  return (
    <LineForm
      label={texts.special}
      hint={texts.specialHint}
      button={texts.name}
      isReady={name !== '' && !pending}
      onSubmit={() => onName(name, () => setTyped(unlessTyped(typed, '')))}
      maxLength={nameMax}
      value={typed}
      onChange={setTyped}
    />
  );
};
