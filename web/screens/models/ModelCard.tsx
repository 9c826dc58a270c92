import { useCallback, type CSSProperties } from 'react';
import type { Model, StoredDay } from '../../api/types.js';
import { Chart } from '../../charts/Chart.js';
import { observed } from '../../charts/dayPicture.js';
import { profileChart } from '../../charts/profileChart.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';
import { useMediaQuery, wall } from '../../parts/useMediaQuery.js';
import { ModelName } from './ModelName.js';

/** Heights of a chart; a wall display has room. */
const chartHeight = 170;
const chartHeightWall = 240;

type Charted = {
  readonly model: Model;
  /** Days of the reference year; undefined while they are read. */
  readonly days: readonly StoredDay[] | undefined;
  readonly min: number;
  readonly max: number;
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
const ModelChart = ({ model, days, min, max }: Charted) => {
  const { compact } = useFormats();
  const isWall = useMediaQuery(wall);
  const draw = useCallback(
    (width: number, height: number) =>
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
  return <Chart draw={draw} height={isWall ? chartHeightWall : chartHeight} />;
};
