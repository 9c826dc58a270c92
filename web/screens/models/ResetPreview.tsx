import { useMemo, type CSSProperties } from 'react';
import type { ModelsPreview, MovedOverride } from '../../api/types.js';
import { ModelSpark } from '../../charts/ModelSpark.js';
import { rangeOfModels } from '../../charts/valueRange.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';

const sparkHeight = 44;
/** Dates of alerts, and overrides, that are listed. */
const shownMax = 8;

/** Computed effect of a reset: the new models, and the changes of alerts and plans. */
export const ResetPreview = ({ preview }: { readonly preview: ModelsPreview }) => {
  const { models: texts } = useMessages();
  const formats = useFormats();
  const { models, bounds, alerts, overrides } = preview;
  const [min, max] = useMemo(() => rangeOfModels(models), [models]);
  return (
    <section className="stack tight preview" aria-label={texts.previewTitle}>
      <h3>{texts.previewTitle}</h3>
      <ul className="preview-models">
        {models.map(model => (
          <li key={model.id} style={{ '--model': modelColor(model.color) } as CSSProperties}>
            <ModelSpark model={model} min={min} max={max} height={sparkHeight} />
            <span>
              <span dir="auto">{model.name}</span>
              <span className="muted small preview-days">{texts.days(model.days)}</span>
            </span>
          </li>
        ))}
      </ul>
      {bounds?.falseAlertsPerYear != null && (
        <p className="muted">{texts.falseAlerts(formats.number(Math.round(bounds.falseAlertsPerYear)))}</p>
      )}
      <dl className="preview-alerts">
        <AlertCount
          kind="gained"
          count={alerts.counts.gained}
          dates={alerts.gained.map(({ date }) => date)}
        />
        <AlertCount kind="kept" count={alerts.counts.kept} dates={alerts.kept.map(({ date }) => date)} />
        <AlertCount kind="lost" count={alerts.counts.lost} dates={alerts.lost.map(({ date }) => date)} />
      </dl>
      <MovedOverrides overrides={overrides} isDone={false} />
    </section>
  );
};

const AlertCount = ({
  kind,
  count,
  dates,
}: {
  readonly kind: 'gained' | 'kept' | 'lost';
  readonly count: number;
  readonly dates: readonly string[];
}) => {
  const { models: texts } = useMessages();
  const { dayYear } = useFormats();
  const shown = [...dates].sort().slice(-shownMax).reverse();
  return (
    <div data-kind={kind}>
      <dt>{texts.effects[kind]}</dt>
      <dd>
        <strong>{count}</strong>
        {shown.length > 0 && (
          <span className="muted small">
            {shown.map(dayYear).join(' · ')}
            {count > shown.length && ' …'}
          </span>
        )}
      </dd>
    </div>
  );
};

/** Plans of people that new models take over or drop. */
export const MovedOverrides = ({
  overrides,
  isDone,
}: {
  readonly overrides: readonly MovedOverride[];
  readonly isDone: boolean;
}) => {
  const { models: texts } = useMessages();
  const { dayYear } = useFormats();
  if (overrides.length === 0) return null;
  const carried = overrides.filter(({ to }) => to !== null).length;
  return (
    <div className="stack tight">
      <p>{(isDone ? texts.plansMoved : texts.plansToMove)(carried, overrides.length - carried)}</p>
      <ul className="moved small">
        {overrides.slice(0, shownMax).map(({ date, from, to }) => (
          <li key={date}>
            <span className="muted">{dayYear(date)}</span>
            <span>
              <span dir="auto">{from.name}</span> › <span dir="auto">{to?.name ?? texts.dropped}</span>
            </span>
          </li>
        ))}
      </ul>
      {overrides.length > shownMax && (
        <p className="muted small">{texts.morePlans(overrides.length - shownMax)}</p>
      )}
    </div>
  );
};
