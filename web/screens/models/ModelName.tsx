import type { Model } from '../../api/types.js';
import { modelColor } from '../../parts/modelColor.js';

/** Name and colour of a model. */
export const ModelName = ({
  model,
}: {
  readonly sourceId: number;
  readonly model: Model;
  readonly editable: boolean;
}) => (
  <h2 className="model-name">
    <i className="dot" style={{ background: modelColor(model.color) }} />
    <span dir="auto">{model.name}</span>
  </h2>
);
