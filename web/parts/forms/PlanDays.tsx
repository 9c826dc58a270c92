import { useId, useState } from 'react';
import type { Model } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { ModelSelect } from './ModelSelect.js';

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
