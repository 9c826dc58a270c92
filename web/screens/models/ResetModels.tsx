import { useState, useMemo, type CSSProperties } from 'react';
import { usePreview, useReset, type Reset } from '../../api/mutations.js';
import type { ModelList, ModelsPreview, MovedOverride } from '../../api/client.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Failure.js';
import { CheckField, Field, TextField } from '../../parts/Field.js';
import { useToast } from '../../parts/Toasts.js';
import { modelNameOf, sentenceOf, useFormats } from '../../messages/formats.js';
import { ModelSpark } from '../../charts/Chart.js';
import { rangeOfModels } from '../../charts/dayPicture.js';
import { modelColor } from '../../parts/modelColor.js';

const countUsual = 4;
const coverageUsual = 0.99;

/** New automatic models: how many, and how many false alerts a year are accepted. */
export const ResetModels = ({ sourceId, list }: { readonly sourceId: number; readonly list: ModelList }) => {
  const { models: texts } = useMessages();
  const tell = useToast();
  const [asked, setAsked] = useState<Reset>({
    count: list.models.length || countUsual,
    coverage: list.bounds?.targetCoverage ?? null,
    keepPlanning: true,
  });
  const preview = usePreview(sourceId);
  const reset = useReset(sourceId);
  const isPending = preview.isPending || reset.isPending;
  /** A preview and the outcome of a reset are about the settings that they were asked with. */
  const change = (next: Partial<Reset>): void => {
    setAsked(now => ({ ...now, ...next }));
    preview.reset();
    reset.reset();
  };
  const error = preview.error ?? reset.error;
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.resetTitle}</h2>
      <ResetFields asked={asked} onChange={change} />
      <p className="hint">{texts.resetHint}</p>
      <div className="row">
        <button
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
          className="button"
          disabled={isPending}
          onClick={() =>
            reset.mutate(asked, {
              onSuccess: ({ models, alerts: { counts } }) => {
                preview.reset();
                tell(texts.wasReset(models.length, counts.raised, counts.invalidated));
              },
            })
          }
        >
          {texts.reset}
        </button>
      </div>
      <p role="status" className="muted small">
        {isPending ? texts.learning : ''}
      </p>
      {error && <Faults error={error} />}
      {preview.data && <ResetPreview preview={preview.data} list={list} />}
      {reset.data && <MovedOverrides overrides={reset.data.overrides} isDone />}
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
  return (
    <>
      <TextField
        label={texts.count}
        type="number"
        min={1}
        max={countMax}
        value={count}
        onChange={next => onChange({ count: Math.min(countMax, Math.max(1, Number(next) || 1)) })}
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
/** Dates of alerts, and overrides, that are listed. */
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
      {gone.length > 0 && <p dir="auto">{texts.modelsGone(gone.map(name => `“${name}”`).join(', '))}</p>}
      {bounds?.falseAlertsPerYear != null && (
        <p className="muted">
          {texts.falseAlerts(rounded(bounds.falseAlertsPerYear))}
          {now != null && `; ${texts.falseAlertsNow(rounded(now))}`}
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
      <MovedOverrides overrides={overrides} isDone={false} />
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
const MovedOverrides = ({
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
