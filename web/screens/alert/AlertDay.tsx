import { useMemo, useState, type CSSProperties } from 'react';
import type { DayDetails, DrawnAlert } from '../../api/client.js';
import { DayLegend, DayProgress } from '../../charts/DayLegend.js';
import { alertPicture, isFlat, observed } from '../../charts/dayPicture.js';
import { modelNameOf, useFormats } from '../../messages/formats.js';
import { DayFigure } from '../../charts/Chart.js';
import type { DayChartOptions } from '../../charts/dayChart.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';
import './alert.css';

type DrawnDay = { readonly alert: DrawnAlert; readonly day: DayDetails; readonly suffix: string };

/** More days before than these hide the day: they are shown on request. */
const daysShownAtOnce = 3;

/** Chart of the day of an alert; on request with the days before and a better model behind it. */
export const AlertDay = ({ alert, day, suffix }: DrawnDay) => {
  const { alert: texts } = useMessages();
  const formats = useFormats();
  const [showBefore, setShowBefore] = useState(day.daysBefore.length <= daysShownAtOnce);
  const picture = useMemo(() => alertPicture(day, alert), [day, alert]);
  const nearer = alert.closestModelId === alert.plannedModelId ? null : day.closestModel;
  const better = isFlat(picture) ? null : (day.betterModel ?? nearer);
  const [showBetter, setShowBetter] = useState(false);
  const options = useMemo(
    (): Pick<DayChartOptions, 'others'> => ({
      others: [
        ...(showBefore
          ? day.daysBefore.map(({ activity, gaps }) => ({ profile: observed(activity, gaps) }))
          : []),
        ...(better && showBetter ? [{ profile: better.activity, color: 'var(--better)', dashed: true }] : []),
      ],
    }),
    [day, better, showBefore, showBetter],
  );
  return (
    <section
      className="card card-pad"
      style={{ '--better': modelColor(better?.color ?? '') } as CSSProperties}
    >
      <DayFigure day={picture} suffix={suffix} height={380} options={options} />
      <DayProgress sourceId={alert.sourceId} date={alert.date} stored={day.day} suffix={suffix} />
      <div className="row day-legend">
        <DayLegend picture={picture} suffix={suffix} />
        <span className="spacer" />
        {day.daysBefore.length > 0 && (
          <label className="toggle">
            <input
              type="checkbox"
              checked={showBefore}
              onChange={({ target }) => setShowBefore(target.checked)}
            />
            {texts.showBefore}
          </label>
        )}
        {better && (
          <label className="toggle">
            <input
              type="checkbox"
              checked={showBetter}
              onChange={({ target }) => setShowBetter(target.checked)}
            />
            <i className="dot" style={{ background: modelColor(better.color) }} />
            <span dir="auto">{texts.showBetter(modelNameOf(better, formats))}</span>
          </label>
        )}
      </div>
      {day.betterModel && better && (
        <p className="notice better" dir="auto">
          {texts.better(modelNameOf(better, formats))}
        </p>
      )}
    </section>
  );
};
