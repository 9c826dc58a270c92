import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useParams, useSearch } from '@tanstack/react-router';
import { queries } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { rangeOfModels } from '../../charts/valueRange.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { LimitsPromise } from './LimitsPromise.js';
import { ModelCard } from './ModelCard.js';
import { ModelFiles } from './ModelFiles.js';

import { ResetModels } from './ResetModels.js';
import './models.css';

/** The typical days of a source: what each looks like, when it occurs, and what its limits promise. */
export const Models = () => {
  const { sourceId } = useParams({ from: '/sources/$sourceId/models' });
  const { asOf } = useSearch({ from: '/sources/$sourceId' });
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
  const [min, max] = useMemo(() => rangeOfModels(list?.models ?? []), [list]);
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
            <ModelCard
              key={model.id}
              sourceId={sourceId}
              editable={mayModel}
              model={model}
              days={year?.days}
              min={min}
              max={max}
            />
          ))}
        </ul>
        <aside className="stack">
          <LimitsPromise list={list} />
          {mayModel && <ResetModels sourceId={sourceId} list={list} />}
          <ModelFiles source={source} list={list} editable={mayModel} />
        </aside>
      </div>
    </>
  );
};
