import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { pictureOf } from '../../api/pictures.js';
import { DayFigure } from '../../charts/DayFigure.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';
import type { YearDay } from './yearDays.js';

/** The day that is pointed at: its profile in the band, why it is planned so, and its alert. */
export const DayPanel = ({ day }: { readonly day: YearDay }) => {
  const { calendar: texts, states, alert: alertTexts } = useMessages();
  const formats = useFormats();
  const { date, stored, model, plan, mark, alert } = day;
  const picture = useMemo(
    () => pictureOf(date, stored, model, alert?.slices ?? []),
    [date, stored, model, alert],
  );
  return (
    <section className="card card-pad stack tight day-panel">
      <h2>{formats.longDay(date)}</h2>
      <DayFigure day={picture} height={220} />
      <p className="row">
        {model && (
          <span className="badge">
            <i className="dot" style={{ background: modelColor(model.color) }} />
            <span dir="auto">{model.name}</span>
          </span>
        )}
        {mark && (
          <span className="badge" dir="auto">
            {mark.name ?? texts.types[mark.type]}
          </span>
        )}
        {stored?.kind === 'reference' && <span className="badge">{texts.reference}</span>}
      </p>
      {plan && (
        <p className="muted small" dir="auto">
          {plan.reason}
        </p>
      )}
      {alert && (
        <p>
          <Link to="/alerts/$alertId" params={{ alertId: alert.id }} className="button">
            {texts.openAlert} · {states[alert.state]} ·{' '}
            {alertTexts.criticity(formats.percent(alert.criticity))}
          </Link>
        </p>
      )}
    </section>
  );
};
