import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState, type CSSProperties } from 'react';
import { useParams } from '@tanstack/react-router';
import { queries } from '../../api/queries.js';
import type { DayDetails, DrawnAlert, Source } from '../../api/types.js';
import { brokenLimits, pictureOfDetails } from '../../api/pictures.js';
import { DayFigure } from '../../charts/DayFigure.js';
import type { DayChartOptions } from '../../charts/dayChart.js';
import { observed } from '../../charts/dayPicture.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { modelColor } from '../../parts/modelColor.js';
import { AlertDecision } from './AlertDecision.js';
import { AlertHead } from './AlertHead.js';
import { AlertHistory } from './AlertHistory.js';
import { DayDecision } from './DayDecision.js';
import { Explanation } from './Explanation.js';
import { OtherDays } from './OtherDays.js';
import { RelearnHint } from './RelearnHint.js';
import { sentenceOf } from './sentence.js';
import './alert.css';

/** One alert: what happened, why that is unusual, and what to do about it. */
export const AlertScreen = () => {
  const { alertId } = useParams({ from: '/alerts/$alertId' });
  const { data: alert, error } = useQuery(queries.alert(alertId));
  const { data: source, error: missing } = useQuery({
    ...queries.source(alert?.sourceId ?? 0),
    enabled: alert !== undefined,
  });
  if (!alert || !source)
    return error || missing ? (
      <Failure error={error ?? missing} />
    ) : (
      <div className="skeleton" style={{ height: '60vh' }} />
    );
  return <AlertOfSource key={alert.id} alert={alert} source={source} />;
};

const AlertOfSource = ({ alert, source }: { readonly alert: DrawnAlert; readonly source: Source }) => {
  const messages = useMessages();
  const { alert: texts } = messages;
  const formats = useFormats();
  const { data: day, error } = useQuery(queries.day(alert.sourceId, alert.date));
  const sentence = sentenceOf(alert, day?.plannedModel, messages, formats);
  const title = texts.title(sentence);
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  return (
    <article className="alert-page">
      <AlertHead alert={alert} source={source} title={title} />
      {error && !day ? <Failure error={error} /> : null}
      <div className="alert-main">
        {day ? <AlertDay alert={alert} day={day} /> : <div className="skeleton" style={{ height: 380 }} />}
        <OtherDays alert={alert} />
      </div>
      <aside className="alert-side">
        <AlertDecision alert={alert} />
        {day && (
          <section className="card card-pad stack tight">
            <h2>{texts.why}</h2>
            <p dir="auto">{day.planning.reason || texts.unplanned}</p>
          </section>
        )}
        {day && <DayDecision sourceId={source.id} date={alert.date} origin={day.planning.origin} />}
        <RelearnHint source={source} />
        <AlertHistory id={alert.id} />
        <Explanation id={alert.id} />
      </aside>
    </article>
  );
};

/** Whether single slices broke their limits, which the chart shows as an area. */
const isSliceBroken = ({ kind, limits }: DrawnAlert): boolean =>
  kind === 'activity' && (limits?.includes('slice') ?? true);

/** Chart of the day of an alert; on request with the days before and a better model behind it. */
const AlertDay = ({ alert, day }: { readonly alert: DrawnAlert; readonly day: DayDetails }) => {
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
  const { legend } = texts;
  return (
    <section
      className="card card-pad"
      style={{ '--better': modelColor(better?.color ?? '') } as CSSProperties}
    >
      <DayFigure day={picture} height={380} options={options} />
      <div className="row day-legend">
        {picture.actual && <span className="key actual">{legend.actual}</span>}
        {picture.planned && (
          <>
            <span className="key expected" dir="auto">
              {legend.expected}: {picture.planned.name}
            </span>
            <span className="key bounds">{legend.bounds}</span>
          </>
        )}
        {isSliceBroken(alert) && <span className="key broken">{legend.broken}</span>}
        {options.limits && options.limits.length > 0 && (
          <span className="key broken-mean">{legend.brokenMean}</span>
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
