import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { queries } from '../../api/queries.js';
import type { Alert } from '../../api/client.js';
import { pictureOf, type DayPicture, rangeOf } from '../../charts/dayPicture.js';
import { Chart } from '../../charts/Chart.js';
import { sparkline } from '../../charts/dayChart.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { addDays } from '../../parts/days.js';

const smallHeight = 76;

/** The days before, and the same weekday of past weeks, each with what was planned, on one scale. */
export const OtherDays = ({ alert }: { readonly alert: Alert }) => {
  const { alert: texts } = useMessages();
  const formats = useFormats();
  const before = [-6, -5, -4, -3, -2, -1].map(days => addDays(alert.date, days));
  const weeks = [-42, -35, -28, -21, -14, -7].map(days => addDays(alert.date, days));
  return (
    <>
      <Row title={texts.daysBefore} sourceId={alert.sourceId} dates={before} />
      <Row title={texts.weeksBefore(formats.weekday(alert.date))} sourceId={alert.sourceId} dates={weeks} />
    </>
  );
};

const Row = ({
  title,
  sourceId,
  dates,
}: {
  readonly title: string;
  readonly sourceId: number;
  readonly dates: readonly string[];
}) => {
  const formats = useFormats();
  const pictures = usePictures(sourceId, dates);
  if (!pictures) return null;
  const [min, max] = rangeOf(
    pictures.flatMap(({ actual, planned }) => [actual ?? [], planned?.activity ?? []]),
  );
  return (
    <section className="card card-pad">
      <h2 className="small-title">{title}</h2>
      <ul className="other-days">
        {pictures.map(picture => (
          <li key={picture.date}>
            <Small picture={picture} min={min} max={max} />
            <span className="muted small">{formats.day(picture.date)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Small = ({ picture, min, max }: { picture: DayPicture; min: number; max: number }) => {
  const draw = useCallback(
    (width: number, height: number) => sparkline(picture, { width, height, min, max, band: false }),
    [picture, min, max],
  );
  return <Chart draw={draw} height={smallHeight} />;
};

/** Pictures of dates in at most two years; undefined while they are loading. */
const usePictures = (sourceId: number, dates: readonly string[]): readonly DayPicture[] | undefined => {
  const years = [Number(dates[0]?.slice(0, 4)), Number(dates.at(-1)?.slice(0, 4))] as const;
  const first = useQuery(queries.days(sourceId, years[0])).data;
  const last = useQuery(queries.days(sourceId, years[1])).data;
  const plans = [
    useQuery(queries.planning(sourceId, years[0])).data,
    useQuery(queries.planning(sourceId, years[1])).data,
  ];
  const { data: models } = useQuery(queries.models(sourceId));
  const [firstPlans, lastPlans] = plans;
  const key = dates.join();
  return useMemo(() => {
    if (!first || !last || !firstPlans || !lastPlans || !models) return undefined;
    const stored = new Map([...first.days, ...last.days].map(day => [day.date, day]));
    const planned = new Map([...firstPlans.days, ...lastPlans.days].map(plan => [plan.date, plan]));
    return key.split(',').map(date => {
      const day = stored.get(date);
      const id = day?.kind === 'reference' ? day.modelId : planned.get(date)?.modelId;
      return pictureOf(
        date,
        day,
        models.models.find(model => model.id === id),
      );
    });
  }, [first, last, firstPlans, lastPlans, models, key]);
};
