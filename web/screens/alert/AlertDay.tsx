import { useMemo, useState, type CSSProperties } from 'react';
import type { DayDetails, DrawnAlert } from '../../api/client.js';
import { brokenLimits, pictureOfDetails, observed } from '../../charts/dayPicture.js';
import { DayFigure } from '../../charts/Chart.js';
import type { DayChartOptions } from '../../charts/dayChart.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';
import { DayProgress } from '../../parts/DayProgress.js';
import './alert.css';

/** Whether single slices broke their limits, which the chart shows as an area. */
const isSliceBroken = ({ kind, limits }: DrawnAlert): boolean =>
  kind === 'activity' && (limits?.includes('slice') ?? true);

type DrawnDay = { readonly alert: DrawnAlert; readonly day: DayDetails; readonly suffix: string };

/** Chart of the day of an alert; on request with the days before and a better model behind it. */
export const AlertDay = ({ alert, day, suffix }: DrawnDay) => {
  const { alert: texts } = useMessages();
  const [showBefore, setShowBefore] = useState(true);
  const better = day.betterModel ?? (alert.closestModelId === alert.plannedModelId ? null : day.closestModel);
  const [showBetter, setShowBetter] = useState(better !== null);
  const picture = useMemo(() => pictureOfDetails(day, alert.slices), [day, alert.slices]);
  const options = useMemo(
    (): Pick<DayChartOptions, 'others' | 'limits'> => ({
      limits: brokenLimits(alert),
      others: [
        ...(showBefore
          ? day.daysBefore.map(({ activity, gaps }) => ({ profile: observed(activity, gaps) }))
          : []),
        ...(better && showBetter ? [{ profile: better.activity, color: 'var(--better)', dashed: true }] : []),
      ],
    }),
    [alert, day, better, showBefore, showBetter],
  );
  return (
    <section
      className="card card-pad"
      style={{ '--better': modelColor(better?.color ?? '') } as CSSProperties}
    >
      <DayFigure day={picture} suffix={suffix} height={380} options={options} />
      <DayProgress sourceId={alert.sourceId} date={alert.date} stored={day.day} suffix={suffix} />
      <div className="row day-legend">
        {picture.actual && <span className="key actual">{texts.legend.actual}</span>}
        {picture.planned && (
          <>
            <span className="key expected" dir="auto">
              {texts.legend.expected}: {picture.planned.name}
            </span>
            <span className="key bounds">{texts.legend.bounds}</span>
          </>
        )}
        {isSliceBroken(alert) && <span className="key broken">{texts.legend.broken}</span>}
        {options.limits && options.limits.length > 0 && (
          <span className="key broken-mean">{texts.legend.brokenMean}</span>
        )}
        <span className="spacer" />
        <label className="toggle">
          <input
            type="checkbox"
            checked={showBefore}
            onChange={({ target }) => setShowBefore(target.checked)}
          />
          {texts.showBefore}
        </label>
        {better && (
          <label className="toggle">
            <input
              type="checkbox"
              checked={showBetter}
              onChange={({ target }) => setShowBetter(target.checked)}
            />
            <i className="dot" style={{ background: modelColor(better.color) }} />
            <span dir="auto">{texts.showBetter(better.name)}</span>
          </label>
        )}
      </div>
      {day.betterModel && better && (
        <p className="notice better" dir="auto">
          {texts.better(better.name)}
        </p>
      )}
    </section>
  );
};
