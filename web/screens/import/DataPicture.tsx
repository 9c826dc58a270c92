import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { queries } from '../../api/queries.js';
import { Chart } from '../../charts/Chart.js';
import { observed } from '../../charts/dayPicture.js';
import { dailyMeans } from '../../charts/profileChart.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';

const pictureHeight = 140;

/** The stored days of a year: the mean of each. */
export const DataPicture = ({ sourceId, year }: { readonly sourceId: number; readonly year: number }) => {
  const { imports: texts } = useMessages();
  const { compact } = useFormats();
  const { data } = useQuery(queries.days(sourceId, year));
  const draw = useCallback(
    (width: number, height: number) =>
      dailyMeans(
        (data?.days ?? []).map(({ date, activity, gaps }) => {
          const values = observed(activity, gaps).filter(value => value !== null);
          const sum = values.reduce((total, value) => total + value, 0);
          return { date, mean: values.length === 0 ? null : sum / values.length };
        }),
        { width, height, compact },
      ),
    [data, compact],
  );
  if (!data || data.days.length === 0) return null;
  return (
    <figure aria-label={texts.picture(year)}>
      <Chart draw={draw} height={pictureHeight} />
    </figure>
  );
};
