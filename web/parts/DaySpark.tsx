import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { queries } from '../api/queries.js';
import { Chart } from '../charts/Chart.js';
import { sparkline } from '../charts/dayChart.js';
import { alertPicture, usualPicture, type DayPicture } from '../charts/dayPicture.js';

type Size = { readonly width: number; readonly height: number };

/** A small chart of the day of an alert, for the eye only: its row has the facts as text. */
export const DaySpark = ({
  sourceId,
  date,
  slices,
  ...size
}: Size & {
  readonly sourceId: number;
  readonly date: string;
  /** Broken stretches; those of the alert of the date by default. */
  readonly slices?: DayPicture['broken'];
}) => {
  const { data: day } = useQuery(queries.day(sourceId, date));
  const alert = day?.alerts.find(({ state }) => state !== 'invalidated');
  const picture = useMemo(() => {
    if (!day || alert) return day && alert && alertPicture(day, alert);
    return { ...usualPicture(day), broken: slices ?? [] };
  }, [day, alert, slices]);
  return <div aria-hidden>{picture && <Drawn picture={picture} {...size} />}</div>;
};

const Drawn = ({ picture, width, height }: Size & { readonly picture: DayPicture }) => {
  const draw = useCallback(
    (wide: number, tall: number) => sparkline(picture, { width: wide, height: tall }),
    [picture],
  );
  return <Chart draw={draw} height={height} width={width} />;
};
