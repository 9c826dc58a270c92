import { useMemo, type CSSProperties } from 'react';
import type { Model } from '../../api/types.js';
import { ModelSpark } from '../../charts/ModelSpark.js';
import { rangeOfModels } from '../../charts/valueRange.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';
import type { YearDay } from './yearDays.js';

const sparkHeight = 64;

/** The typical profiles next to the year that they colour, and what the marks mean. */
export const CalendarLegend = ({
  models,
  days,
  onHighlight,
}: {
  readonly models: readonly Model[];
  readonly days: readonly YearDay[];
  readonly onHighlight: (modelId: number | undefined) => void;
}) => {
  const { calendar: texts } = useMessages();
  const [min, max] = useMemo(() => rangeOfModels(models), [models]);
  return (
    <section className="card card-pad legend-card">
      <ul className="profiles" aria-label={texts.profiles}>
        {models.map(model => (
          <li
            key={model.id}
            style={{ '--model': modelColor(model.color) } as CSSProperties}
            onPointerEnter={() => onHighlight(model.id)}
            onPointerLeave={() => onHighlight(undefined)}
          >
            <ModelSpark model={model} min={min} max={max} height={sparkHeight} />
            <span className="profile-name">
              <i className="dot" style={{ background: modelColor(model.color) }} />
              <span dir="auto">{model.name}</span>
            </span>
            <span className="muted small">
              {texts.daysOf(days.filter(day => day.model?.id === model.id).length)}
            </span>
          </li>
        ))}
      </ul>
      <ul className="marks muted small" aria-label={texts.marks}>
        <li>
          <i className="cell sample" data-seen data-alert="open" /> {texts.legend.alert}
        </li>
        <li>
          <i className="cell sample" data-seen data-mark="holiday" /> {texts.legend.holiday}
        </li>
        <li>
          <i className="cell sample" data-seen data-manual /> {texts.legend.manual}
        </li>
        <li>
          <i className="cell sample" data-seen /> {texts.legend.seen}
        </li>
        <li>
          <i className="cell sample" /> {texts.legend.ahead}
        </li>
      </ul>
    </section>
  );
};
