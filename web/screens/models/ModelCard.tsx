import { useCallback, type CSSProperties, useRef, useState } from 'react';
import type { Model, StoredDay } from '../../api/client.js';
import { Chart } from '../../charts/Chart.js';
import { observed } from '../../charts/dayPicture.js';
import { profileChart } from '../../charts/profileChart.js';
import { modelNameOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';
import { FormButtons, CheckField, submits } from '../../parts/Field.js';
import { useMediaQuery } from '../../parts/smallScreens.js';
import { wall } from '../../api/early.js';
import { useModelChange } from '../../api/mutations.js';
import { Faults } from '../../parts/Failure.js';
import { useToast } from '../../parts/Toasts.js';
import { mergePatch } from '../settings/mergePatch.js';

/** Heights of a chart; a wall display has room. */
const chartHeight = 170;
const chartHeightWall = 240;

type Charted = {
  readonly model: Model;
  /** Days of the years of the reference; undefined while they are read. */
  readonly days: readonly StoredDay[] | undefined;
  readonly min: number;
  readonly max: number;
  /** Text behind numbers of the source. */
  readonly suffix: string;
};

/** A typical day: its name, its profile in its band, and how many days it has. */
export const ModelCard = ({
  sourceId,
  editable,
  ...charted
}: Charted & { readonly sourceId: number; readonly editable: boolean }) => {
  const { models: texts } = useMessages();
  const { model } = charted;
  return (
    <li className="card card-pad" style={{ '--model': modelColor(model.color) } as CSSProperties}>
      <ModelName sourceId={sourceId} model={model} editable={editable} />
      <ModelChart {...charted} />
      <p className="muted small row">
        {texts.days(model.days)}
        {model.anomaly && <span className="badge">{texts.anomaly}</span>}
      </p>
    </li>
  );
};

/** A model with the reference days that belong to it behind it. */
const ModelChart = ({ model, days, min, max, suffix }: Charted) => {
  const { compact } = useFormats();
  const isWall = useMediaQuery(wall);
  const draw = useCallback(
    (width: number, height: number, scale: number) =>
      profileChart(
        { activity: model.activity, top: model.topTolerance, bottom: model.bottomTolerance },
        {
          width,
          height,
          scale,
          min,
          max,
          compact,
          suffix,
          days: (days ?? [])
            .filter(({ kind, modelId }) => kind === 'reference' && modelId === model.id)
            .map(({ activity, gaps }) => observed(activity, gaps)),
        },
      ),
    [model, days, min, max, compact, suffix],
  );
  return <Chart draw={draw} height={isWall ? chartHeightWall : chartHeight} />;
};

/** Name and colour of a model; people who may change models edit them, and whether it is a known anomaly, in place. */
const ModelName = ({
  sourceId,
  model,
  editable,
}: {
  readonly sourceId: number;
  readonly model: Model;
  readonly editable: boolean;
}) => {
  const { models: texts } = useMessages();
  const formats = useFormats();
  const name = modelNameOf(model, formats);
  const [isEditing, setIsEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const end = (): void => {
    setIsEditing(false);
    // The button comes back with the next frame.
    requestAnimationFrame(() => button.current?.focus());
  };
  if (isEditing) return <ModelForm sourceId={sourceId} model={model} shown={name} end={end} />;
  return (
    <div className="model-head">
      <h2 className="model-name">
        <i className="dot" style={{ background: modelColor(model.color) }} />
        <span dir="auto">{name}</span>
      </h2>
      {editable && (
        <button
          type="button"
          ref={button}
          className="button quiet"
          aria-label={texts.edit(name)}
          onClick={() => setIsEditing(true)}
        >
          {texts.editShort}
        </button>
      )}
    </div>
  );
};

const nameMax = 100;

/** Fields for the name, the colour and the anomaly flag of a model. */
const ModelForm = ({
  sourceId,
  model,
  shown,
  end,
}: {
  readonly sourceId: number;
  readonly model: Model;
  readonly shown: string;
  readonly end: () => void;
}) => {
  const { models: texts, save } = useMessages();
  const tell = useToast();
  const { mutate, isPending, error } = useModelChange(sourceId);
  // The model that the person began with: another person may change other parts of it meanwhile.
  const [opened] = useState({ name: shown, color: model.color.toLowerCase(), anomaly: model.anomaly });
  const [name, setName] = useState(opened.name);
  const [color, setColor] = useState(opened.color);
  const [anomaly, setAnomaly] = useState(opened.anomaly);
  const patch = mergePatch(opened, { name: name.trim(), color, anomaly });
  const isChanged = Object.keys(patch).length > 0;
  return (
    <form
      className="stack tight model-form"
      onSubmit={submits(() => {
        if (!isChanged) return end();
        mutate(
          { modelId: model.id, patch },
          {
            onSuccess: ({ checked, alerts: { counts } }) => {
              tell(checked ? texts.changed(name.trim(), counts.raised, counts.invalidated) : texts.goesOn);
              end();
            },
          },
        );
      })}
      onKeyDown={({ key }) => {
        if (key === 'Escape') end();
      }}
    >
      <div className="row nowrap">
        <input
          type="color"
          className="color-input"
          aria-label={texts.color}
          value={color}
          onChange={({ target }) => setColor(target.value)}
        />
        <input
          className="input grow"
          aria-label={texts.name}
          maxLength={nameMax}
          required
          dir="auto"
          autoFocus
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <CheckField
        label={texts.anomalyFlag}
        hint={texts.anomalyHint}
        checked={anomaly}
        onChange={setAnomaly}
      />
      <FormButtons text={save} isReady={!isPending && name.trim() !== ''} onCancel={end} />
      {error && <Faults error={error} />}
    </form>
  );
};
