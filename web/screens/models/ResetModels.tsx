import { Fragment, useEffect, useState, useMemo, type CSSProperties } from 'react';
import { usePreview, useReset, type Reset } from '../../api/mutations.js';
import type { ModelList, ModelsPreview } from '../../api/client.js';
import type { AnswerOf } from '../../../client/index.js';
import type { Messages } from '../../messages/en.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Failure.js';
import { CheckField, Field, TextField } from '../../parts/Field.js';
import { useToast } from '../../parts/Toasts.js';
import { modelNameOf, sentenceOf, useFormats } from '../../messages/formats.js';
import { ModelSpark } from '../../charts/Chart.js';
import { rangeOfModels } from '../../charts/dayPicture.js';
import { modelColor } from '../../parts/modelColor.js';
import { MovedOverrides } from './MovedOverrides.js';

const countUsual = 4;
const coverageUsual = 0.99;

/** Effect of new models in words, or that they are not in force or their days not checked yet. */
export const saidOf = (
  { models, checked, alerts: { counts } }: AnswerOf<'post', '/v1/model/reset/{source_id}/{model_count}'>,
  { wasReset, goesOn }: Pick<Messages['models'], 'wasReset' | 'goesOn'>,
): string => (checked ? wasReset(models.length, counts.raised, counts.invalidated) : goesOn);

/** Settings of a reset: those in force, until people change them. */
const useAsked = (list: ModelList) => {
  const [typed, setTyped] = useState<Partial<Reset>>({});
  const asked: Reset = {
    count: list.models.length || countUsual,
    coverage: list.bounds?.targetCoverage ?? null,
    keepPlanning: true,
    ...typed,
  };
  return { asked, setTyped };
};

/** New automatic models: how many, and how many false alerts a year are accepted. */
export const ResetModels = ({ sourceId, list }: { readonly sourceId: number; readonly list: ModelList }) => {
  const { models: texts } = useMessages();
  const tell = useToast();
  const { asked, setTyped } = useAsked(list);
  /** Models that a reset replaced; their plans move. */
  const [before, setBefore] = useState(list.models);
  const preview = usePreview(sourceId);
  const reset = useReset(sourceId);
  const isPending = preview.isPending || reset.isPending;
  /** A preview and the outcome of a reset are about the settings that they were asked with. */
  const change = (next: Partial<Reset>): void => {
    setTyped(now => ({ ...now, ...next }));
    preview.reset();
    reset.reset();
  };
  const { reset: forgetPreview } = preview;
  // A preview names the models in force, which others may change meanwhile.
  useEffect(() => forgetPreview(), [forgetPreview, list.models]);
  const error = preview.error ?? reset.error;
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.resetTitle}</h2>
      <fieldset className="as-one" disabled={isPending}>
        <ResetFields asked={asked} onChange={change} />
      </fieldset>
      <p className="hint">{texts.resetHint}</p>
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={isPending}
          onClick={() => {
            reset.reset();
            preview.mutate(asked);
          }}
        >
          {texts.preview}
        </button>
        <button
          type="button"
          className="button"
          disabled={isPending}
          onClick={() => {
            setBefore(list.models);
            reset.mutate(asked, {
              onSuccess: answer => {
                preview.reset();
                if (answer.checked) setTyped({});
                tell(saidOf(answer, texts));
              },
            });
          }}
        >
          {texts.reset}
        </button>
      </div>
      <p role="status" className="muted small">
        {isPending ? texts.learning : ''}
      </p>
      {error && <Faults error={error} />}
      {preview.data && <ResetPreview preview={preview.data} list={list} />}
      {reset.data?.checked && (
        <MovedOverrides overrides={reset.data.overrides} models={[...before, ...reset.data.models]} isDone />
      )}
    </section>
  );
};

const daysPerYear = 365;
const countMax = 64;
const coverageMin = 0.9;
const coverageMax = 0.995;

/** The usual limits of the service, or a number of false alerts to aim at. */
const LimitsField = ({
  coverage,
  onChange,
}: {
  readonly coverage: number | null;
  readonly onChange: (coverage: number | null) => void;
}) => {
  const { models: texts } = useMessages();
  const formats = useFormats();
  const target = coverage ?? coverageUsual;
  const aim = texts.aim(formats.number(Math.round((1 - target) * daysPerYear)));
  return (
    <>
      <CheckField
        label={texts.usualLimits}
        checked={coverage === null}
        onChange={checked => onChange(checked ? null : coverageUsual)}
      />
      {coverage !== null && (
        <Field label={texts.coverage}>
          {id => (
            <>
              <input
                id={id}
                type="range"
                className="range"
                min={coverageMin}
                max={coverageMax}
                step={0.005}
                value={coverage}
                aria-valuetext={aim}
                onChange={({ target: { valueAsNumber } }) => onChange(valueAsNumber)}
              />
              <output htmlFor={id} className="hint">
                {aim}
              </output>
            </>
          )}
        </Field>
      )}
    </>
  );
};

/** Number of models, false alerts that are accepted, and whether plans of people are kept. */
const ResetFields = ({
  asked: { count, coverage, keepPlanning },
  onChange,
}: {
  readonly asked: Reset;
  readonly onChange: (next: Partial<Reset>) => void;
}) => {
  const { models: texts } = useMessages();
  /** The number while it is typed: it may be empty. */
  const [typed, setTyped] = useState<string>();
  return (
    <>
      <TextField
        label={texts.count}
        type="number"
        min={1}
        max={countMax}
        value={typed ?? count}
        onChange={next => {
          setTyped(next);
          if (next !== '') onChange({ count: Math.min(countMax, Math.max(1, Math.round(Number(next)))) });
        }}
        onBlur={() => setTyped(undefined)}
      />
      <LimitsField coverage={coverage} onChange={next => onChange({ coverage: next })} />
      <CheckField
        label={texts.keepPlanning}
        checked={keepPlanning}
        onChange={next => onChange({ keepPlanning: next })}
      />
    </>
  );
};

const sparkHeight = 44;
/** Alerts that are listed. */
const shownMax = 8;

/** Computed effect of a reset: the new models, and what goes and stays by name. */
const ResetPreview = ({ preview, list }: { readonly preview: ModelsPreview; readonly list: ModelList }) => {
  const { models: texts } = useMessages();
  const formats = useFormats();
  const { models, bounds, alerts, overrides, endedChanges } = preview;
  const [min, max] = useMemo(() => rangeOfModels(models), [models]);
  const names = new Set(models.map(({ name }) => name));
  const gone = list.models.filter(({ name }) => !names.has(name)).map(model => modelNameOf(model, formats));
  const rounded = (count: number): string => formats.number(Math.round(count));
  const now = list.bounds?.falseAlertsPerYear;
  return (
    <section className="stack tight preview" aria-label={texts.previewTitle}>
      <h3>{texts.previewTitle}</h3>
      <ul className="preview-models">
        {models.map(model => (
          <li key={model.id} style={{ '--model': modelColor(model.color) } as CSSProperties}>
            <ModelSpark model={model} min={min} max={max} height={sparkHeight} />
            <span>
              <span dir="auto">{modelNameOf(model, formats)}</span>
              <span className="muted small preview-days">{texts.days(model.days)}</span>
            </span>
          </li>
        ))}
      </ul>
      {gone.length > 0 && <p dir="auto">{texts.modelsGone(gone)}</p>}
      {bounds?.falseAlertsPerYear != null && (
        <p className="muted">
          {texts.falseAlerts(rounded(bounds.falseAlertsPerYear))}
          {now != null && texts.falseAlertsNow(rounded(now))}
        </p>
      )}
      <dl className="preview-alerts">
        <AlertCount
          kind="gained"
          count={alerts.counts.gained}
          dates={alerts.gained.map(({ date }) => date)}
        />
        <AlertCount kind="kept" count={alerts.counts.kept} dates={alerts.kept.map(({ date }) => date)} />
        <AlertCount kind="lost" count={alerts.counts.lost} dates={[]} />
      </dl>
      <LostAlerts lost={alerts.lost} />
      {endedChanges.length > 0 && (
        <div>
          <p>{texts.changesEnded}</p>
          <ul className="moved small">
            {endedChanges.map(({ incidentId, change }) => (
              <li key={incidentId} dir="auto">
                {sentenceOf(change, formats)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <MovedOverrides overrides={overrides} models={[...list.models, ...models]} isDone={false} />
    </section>
  );
};

/** Alerts that a reset would invalidate, by their sentences, the newest first. */
const LostAlerts = ({ lost }: { readonly lost: ModelsPreview['alerts']['lost'] }) => {
  const { models: texts } = useMessages();
  const formats = useFormats();
  if (lost.length === 0) return null;
  const newest = [...lost].sort((a, b) => b.date.localeCompare(a.date)).slice(0, shownMax);
  return (
    <ul className="moved small" aria-label={texts.effects.lost}>
      {newest.map(alert => (
        <li key={alert.id}>
          <span className="muted">{formats.dayYear(alert.date)}</span>
          <span dir="auto">{sentenceOf(alert, formats)}</span>
        </li>
      ))}
    </ul>
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
      <dt className="hint">{texts.effects[kind]}</dt>
      <dd>
        <strong>{count}</strong>
        {shown.length > 0 && (
          <span className="muted small">
            {shown.map((date, index) => (
              <Fragment key={date}>
                {index > 0 && ' · '}
                <span className="unbroken">{dayYear(date)}</span>
              </Fragment>
            ))}
            {count > shown.length && ' …'}
          </span>
        )}
      </dd>
    </div>
  );
};
