import type { Model } from '../../api/types.js';
import { Select } from './Select.js';

/** A choice of one model, none at first; its label is next to it, by `id`. */
export const ModelSelect = ({
  id,
  models,
  value,
  onChange,
}: {
  readonly id: string;
  readonly models: readonly Pick<Model, 'id' | 'name'>[];
  /** Id of the model, empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}) => (
  <Select id={id} value={value} onChange={onChange}>
    <option value="" />
    {models.map(({ id: modelId, name }) => (
      <option key={modelId} value={modelId}>
        {name}
      </option>
    ))}
  </Select>
);
