import { useQuery } from '@tanstack/react-query';
import { Fragment, useEffect, useMemo } from 'react';
import { useParams, useSearch } from '@tanstack/react-router';
import { useSourceRequest } from '../../api/mutations.js';
import { queries, useReferenceDays } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { clockOf, hourOf, rangeOfModels } from '../../charts/dayPicture.js';
import { useMessages } from '../../messages/messages.js';
import { AnalysisFault, Failure, Faults } from '../../parts/Failure.js';
import { EarlierModels } from './EarlierModels.js';
import { ModelCard } from './ModelCard.js';
import { ResetModels, saidOf } from './ResetModels.js';
import './models.css';
import { type ModelList, api, type Source } from '../../api/client.js';
import { useFormats } from '../../messages/formats.js';
import { ProblemError } from '../../../client/index.js';
import { numberSuffix } from '../../charts/chartParts.js';
import { FileButton } from '../../parts/FileDrop.js';
import { whenDone } from '../../parts/drafts.js';
import { useToast } from '../../parts/Toasts.js';

/** The typical days of a source: what each looks like, when it occurs, and what its limits promise. */
export const Models = () => {
  const { sourceId } = useParams({ from: '/sources/$sourceId/models' });
  const { asOf } = useSearch({ from: '/sources/$sourceId' });
  const { models: texts } = useMessages();
  const mayModel = useScope('model') && asOf === undefined;
  const { data: source, error } = useQuery(queries.source(sourceId, asOf));
  const { data: list, error: missing } = useQuery(queries.models(sourceId, asOf));
  const days = useReferenceDays(source, asOf);
  const title = texts.title(source?.name ?? '');
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  const [min, max] = useMemo(() => rangeOfModels(list?.models ?? []), [list]);
  const hasModels = list !== undefined && list.models.length > 0;
  const status = source?.analysis.status;
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
        {(status === 'failed' || status === 'pending' || status === 'running') && (
          <p className={status === 'failed' ? 'fault' : 'muted'} role="status">
            {status === 'failed' ? <AnalysisFault analysis={source.analysis} /> : texts.learning}
          </p>
        )}
      </div>
      {!hasModels && <p className="muted">{texts.none}</p>}
      <div className="models-page">
        <ul className="model-list">
          {list.models.map(model => (
            <ModelCard
              key={model.id}
              sourceId={sourceId}
              editable={mayModel}
              model={model}
              days={days}
              min={min}
              max={max}
              suffix={numberSuffix(source)}
            />
          ))}
        </ul>
        <aside className="stack">
          {hasModels && <LimitsPromise list={list} />}
          {mayModel && status !== 'collecting' && <ResetModels sourceId={sourceId} list={list} />}
          <EarlierModels sourceId={sourceId} asOf={asOf} editable={mayModel} />
          {(hasModels || mayModel) && <ModelFiles source={source} list={list} editable={mayModel} />}
        </aside>
      </div>
    </>
  );
};

/** Text of the changes in both directions; empty without one. */
const useShares = (): ((sides: { more: number | null; less: number | null }) => string) => {
  const { percent } = useFormats();
  return ({ more, less }) => {
    const [up, down] = [more, less].map(share => (share === null ? undefined : percent(share)));
    if (up === down) return up === undefined ? '' : `±${up}`;
    return [up && `+${up}`, down && `−${down}`].filter(text => text !== undefined).join(' / ');
  };
};

type PartsOfDay = NonNullable<
  NonNullable<NonNullable<ModelList['bounds']>['minimumDetectableChange']>['timesOfDay']
>;

/** The minimum detectable change at each time of day. */
const DetectableAtTimes = ({ parts, slices }: { readonly parts: PartsOfDay; readonly slices: number }) => {
  const { models: texts } = useMessages();
  const shares = useShares();
  const time = (slice: number): string => clockOf(hourOf(slice, slices));
  return (
    <div className="muted">
      <p>{texts.detectableAtTimes}</p>
      <dl className="times-of-day">
        {parts.map(({ from, to, ...sides }) => (
          <Fragment key={from}>
            <dt>
              {time(from)}–{time(to)}
            </dt>
            <dd>{shares(sides) || texts.notDetectable}</dd>
          </Fragment>
        ))}
      </dl>
    </div>
  );
};

/** Measured quality of the limits in words. */
const LimitsPromise = ({ list }: { readonly list: ModelList }) => {
  const { bounds, hitRate, calendar, models, presentLimits } = list;
  const { models: texts } = useMessages();
  const { number, percent } = useFormats();
  const change = presentLimits?.minimumDetectableChange ?? bounds?.minimumDetectableChange;
  const shares = useShares();
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
          {bounds.falseAlertsRange && (
            <p className="muted">
              {texts.falseAlertsRange(
                number(bounds.falseAlertsRange.low),
                number(bounds.falseAlertsRange.high),
              )}
            </p>
          )}
          <p className="muted">
            {bounds.calibrationDays > 0
              ? texts.measured(percent(bounds.measuredCoverage), bounds.calibrationDays)
              : texts.notMeasured}
          </p>
          {change && (
            <p className="muted">
              {texts.detectable(shares(change.wholeDay) || '–', shares(change.eightHours) || '–')}
            </p>
          )}
          {change?.timesOfDay && (
            <DetectableAtTimes parts={change.timesOfDay} slices={models[0]?.activity.length ?? 0} />
          )}
          {presentLimits && presentLimits.factor > 1 && (
            <p className="muted">{texts.widened(percent(presentLimits.factor - 1))}</p>
          )}
        </>
      ) : (
        <p className="muted">{texts.custom}</p>
      )}
      {hitRate !== null && <p className="muted">{texts.hitRate(percent(hitRate))}</p>}
      {calendar && (
        <p className="muted">
          {texts.calendar(calendar.code)} {texts.evidence(calendar.evidence ?? '')}
        </p>
      )}
    </section>
  );
};

type ModelEdit = {
  readonly modelId: number;
  readonly patch: { readonly name?: string; readonly color?: string; readonly anomaly?: boolean };
};

const profiles = ['activity', 'topTolerance', 'bottomTolerance'] as const;

/**
 * The changes of models in a file that has other names, colours or flags than the present ones, and the same profiles:
 * as changes of the models they keep their limits. Undefined when a profile differs, or the number of models.
 */
const describedOnly = (
  present: ModelList['models'],
  uploaded: ModelList['models'],
): readonly ModelEdit[] | undefined => {
  if (!Array.isArray(uploaded) || uploaded.length !== present.length) return undefined;
  const isSame = uploaded.every((model, index) =>
    profiles.every(profile => JSON.stringify(model[profile]) === JSON.stringify(present[index]?.[profile])),
  );
  if (!isSame) return undefined;
  return present.flatMap(({ id, name, color, anomaly }, index) => {
    const next = uploaded[index];
    const patch = {
      ...(next && next.name !== name && { name: next.name }),
      ...(next && next.color !== color && { color: next.color }),
      ...(next && (next.anomaly ?? false) !== anomaly && { anomaly: next.anomaly ?? false }),
    };
    return Object.keys(patch).length > 0 ? [{ modelId: id, patch }] : [];
  });
};

/** Whether a new name is that of another model: changes one after the other would be refused half done. */
const isExchange = (present: ModelList['models'], edits: readonly ModelEdit[]): boolean => {
  const names = edits.flatMap(({ patch: { name } }) => name ?? []);
  return new Set(names).size < names.length || present.some(({ name }) => names.includes(name));
};

/** The present models with these changes: with their ids and limits, which they keep. */
const edited = (present: ModelList['models'], edits: readonly ModelEdit[]): ModelList['models'] =>
  present.map(model => ({ ...model, ...edits.find(({ modelId }) => modelId === model.id)?.patch }));

/** Models as a file: what is downloaded can be uploaded again, changed or not. */
const ModelFiles = ({
  source,
  list,
  editable,
}: {
  readonly source: Source;
  readonly list: ModelList;
  readonly editable: boolean;
}) => {
  const { models: texts } = useMessages();
  const tell = useToast();
  const upload = useSourceRequest(source.id, async (file: File) => {
    const text = await file.text();
    let body: { models: ModelList['models'] };
    try {
      body = JSON.parse(text) as { models: ModelList['models'] };
    } catch (error) {
      throw new ProblemError(400, {
        code: 'unparseable',
        detail: error instanceof Error ? error.message : '',
      });
    }
    const edits = describedOnly(list.models, body.models);
    if (edits && !isExchange(list.models, edits)) {
      let checked = true;
      for (const { modelId, patch } of edits) {
        const path = { source_id: source.id, model_id: modelId };
        const answer = await api.patch('/v1/model/{source_id}/{model_id}', {
          params: { path },
          body: patch,
        });
        checked &&= answer.checked;
      }
      return checked ? texts.described(edits.length) : texts.goesOn;
    }
    const answer = await api.post('/v1/model/bulk-replace/{source_id}', {
      params: { path: { source_id: source.id } },
      body: edits ? { models: edited(list.models, edits) } : body,
    });
    return saidOf(answer, texts);
  });
  const download = (): void => {
    const models = list.models.map(({ days, names, ...model }) => model);
    const url = URL.createObjectURL(
      new Blob([JSON.stringify({ models }, null, 1)], { type: 'application/json' }),
    );
    const link = document.createElement('a');
    link.href = url;
    link.download = `${source.name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-models.json`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.files}</h2>
      <p className="hint">{texts.filesHint}</p>
      <div className="row">
        {list.models.length > 0 && (
          <button type="button" className="button" onClick={download}>
            {texts.download}
          </button>
        )}
        {editable && (
          <FileButton
            text={texts.upload}
            label={texts.upload}
            accept=".json,application/json"
            disabled={upload.isPending}
            onFile={file => whenDone(upload.mutateAsync(file), tell, () => {})}
          />
        )}
      </div>
      {upload.error && <Faults error={upload.error} />}
    </section>
  );
};
