import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, type CSSProperties } from 'react';
import { queries } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import type { Model, ModelList, StoredDay } from '../../api/types.js';
import { Chart } from '../../charts/Chart.js';
import { rangeOf } from '../../charts/dayChart.js';
import { observed } from '../../charts/dayPicture.js';
import { profileChart } from '../../charts/profileChart.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { modelColor } from '../../parts/modelColor.js';
import { modelsRoute, sourceRoute } from '../../router.js';
import { ModelFiles } from './ModelFiles.js';
import { ModelName } from './ModelName.js';
import { ResetModels } from './ResetModels.js';
import './models.css';

const height = 170;

/** The typical days of a source: what each looks like, when it occurs, and what its limits promise. */
export const Models = () => {
  const { sourceId } = modelsRoute.useParams();
  const { asOf } = sourceRoute.useSearch();
  const { models: texts } = useMessages();
  const mayModel = useScope('model') && asOf === undefined;
  const { data: source, error } = useQuery(queries.source(sourceId, asOf));
  const { data: list, error: missing } = useQuery(queries.models(sourceId, asOf));
  const { data: year } = useQuery({
    ...queries.days(sourceId, source?.referenceYear ?? 1970, asOf),
    enabled: source !== undefined,
  });
  const title = texts.title(source?.name ?? '');
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  const [min, max] = useMemo(
    () =>
      rangeOf(
        (list?.models ?? []).flatMap(({ topTolerance, bottomTolerance }) => [topTolerance, bottomTolerance]),
      ),
    [list],
  );
  if (!source || !list)
    return error || missing ? (
      <Failure error={error ?? missing} />
    ) : (
      <div className="skeleton" style={{ height: '60vh' }} />
    );
  return (
    <>
      <div className="page-head">
        <h1 dir="auto">{title}</h1>
        {source.analysis.status !== 'completed' && (
          <p className={source.analysis.status === 'failed' ? 'fault' : 'muted'} role="status">
            {source.analysis.status === 'failed'
              ? texts.failed(source.analysis.detail ?? '')
              : texts.learning}
          </p>
        )}
      </div>
      <div className="models-page">
        <ul className="model-list">
          {list.models.map(model => (
            <li
              key={model.id}
              className="card card-pad"
              style={{ '--model': modelColor(model.color) } as CSSProperties}
            >
              <ModelName sourceId={sourceId} model={model} editable={mayModel} />
              <ModelChart model={model} days={year?.days} min={min} max={max} />
              <p className="muted small">
                {texts.days(model.days)}
                {model.anomaly && <span className="badge">{texts.anomaly}</span>}
              </p>
            </li>
          ))}
        </ul>
        <aside className="stack">
          <Promise list={list} />
          {mayModel && <ResetModels sourceId={sourceId} list={list} />}
          <ModelFiles source={source} list={list} editable={mayModel} />
        </aside>
      </div>
    </>
  );
};

/** A model with the reference days that belong to it behind it. */
const ModelChart = ({
  model,
  days,
  min,
  max,
}: {
  readonly model: Model;
  readonly days: readonly StoredDay[] | undefined;
  readonly min: number;
  readonly max: number;
}) => {
  const { compact } = useFormats();
  const draw = useCallback(
    (width: number) =>
      profileChart(
        { activity: model.activity, top: model.topTolerance, bottom: model.bottomTolerance },
        {
          width,
          height,
          min,
          max,
          compact,
          days: (days ?? [])
            .filter(({ kind, modelId }) => kind === 'reference' && modelId === model.id)
            .map(({ activity, gaps }) => observed(activity, gaps)),
        },
      ),
    [model, days, min, max, compact],
  );
  return <Chart draw={draw} height={height} />;
};

/** Measured quality of the limits in words. */
const Promise = ({ list: { bounds, hitRate, calendar } }: { readonly list: ModelList }) => {
  const { models: texts } = useMessages();
  const { number, percent } = useFormats();
  const change = bounds?.minimumDetectableChange;
  const shares = (of: { more: number | null; less: number | null }) =>
    [
      of.more === null ? undefined : `+${percent(of.more)}`,
      of.less === null ? undefined : `−${percent(of.less)}`,
    ]
      .filter(text => text !== undefined)
      .join(' / ');
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.promise}</h2>
      {bounds ? (
        <>
          {bounds.falseAlertsPerYear !== null && (
            <p>
              <strong className="big">
                {texts.falseAlerts(number(Math.round(bounds.falseAlertsPerYear)))}
              </strong>
            </p>
          )}
          <p className="muted">{texts.measured(percent(bounds.measuredCoverage), bounds.calibrationDays)}</p>
          {change && (
            <p className="muted">
              {texts.detectable(shares(change.wholeDay) || '–', shares(change.eightHours) || '–')}
            </p>
          )}
        </>
      ) : (
        <p className="muted">{texts.custom}</p>
      )}
      {hitRate !== null && <p className="muted">{texts.hitRate(percent(hitRate))}</p>}
      {calendar && <p className="muted">{texts.calendar(calendar.code, calendar.evidence ?? '')}</p>}
    </section>
  );
};
