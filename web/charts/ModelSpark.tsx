import { useCallback } from 'react';
import type { Model } from '../api/types.js';
import { useFormats } from '../messages/formats.js';
import { Chart } from './Chart.js';
import { profileChart } from './profileChart.js';

/** A model in its band, small and without axes, in the colour `--model` of the page around it. */
export const ModelSpark = ({
  model: { activity, topTolerance: top, bottomTolerance: bottom },
  min,
  max,
  height: sparkHeight,
}: {
  readonly model: Pick<Model, 'activity' | 'topTolerance' | 'bottomTolerance'>;
  readonly min: number;
  readonly max: number;
  readonly height: number;
}) => {
  const { compact } = useFormats();
  const draw = useCallback(
    (width: number, height: number) =>
      profileChart({ activity, top, bottom }, { width, height, min, max, compact, bare: true }),
    [activity, top, bottom, min, max, compact],
  );
  return <Chart draw={draw} height={sparkHeight} />;
};
