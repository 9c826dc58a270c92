import { useQuery } from '@tanstack/react-query';
import type { StoredDay } from '../api/client.js';
import { queries, type AsOf } from '../api/queries.js';
import { modelNameOf, useFormats } from '../messages/formats.js';
import { useMessages } from '../messages/messages.js';
import { bandOf, clockOf, hourOf, markWords, slicesOf, type DayPicture } from './dayPicture.js';
import './dayLegend.css';

/** The marks of the chart of a day in words, in the order in which they matter: at most four. */
export const DayLegend = ({
  picture,
  suffix,
}: {
  readonly picture: DayPicture;
  /** Text behind numbers of the source. */
  readonly suffix: string;
}) => {
  const messages = useMessages();
  const formats = useFormats();
  const { legend: texts } = messages.day;
  const { actual, planned, usual, broken, mark, isUnlike } = picture;
  const slices = slicesOf(picture);
  const [first] = broken;
  const last = broken.at(-1);
  return (
    <>
      {actual && <span className="key actual">{texts.actual}</span>}
      {planned && (
        <span className="key expected" dir="auto">
          {texts.expected(modelNameOf(planned, formats))}
        </span>
      )}
      {bandOf(picture) && <span className="key bounds">{usual ? texts.usual : texts.bounds}</span>}
      {first && last && (
        <span className="key broken">
          {clockOf(hourOf(first.from, slices))}–{clockOf(hourOf(last.to, slices))}
          {mark && texts.detail(markWords(mark, slices, { texts: messages.day, formats, suffix }))}
          {isUnlike && texts.detail(texts.unlike)}
        </span>
      )}
    </>
  );
};

/** How far a date in progress has come, and for sums the total to expect of it; nothing for other dates. */
export const DayProgress = ({
  sourceId,
  date,
  stored,
  suffix,
  asOf,
}: {
  readonly sourceId: number;
  readonly date: string;
  readonly stored: Pick<StoredDay, 'inProgress' | 'observedUntil'> | null | undefined;
  /** Text behind numbers of the source. */
  readonly suffix: string;
  readonly asOf?: AsOf;
}) => {
  const { day: texts } = useMessages();
  const { number } = useFormats();
  const inProgress = stored?.inProgress === true;
  const { data } = useQuery({ ...queries.day(sourceId, date, asOf), enabled: inProgress });
  if (!inProgress) return null;
  const { expectedTotal: total, expectedRest: rest } = data ?? {};
  return (
    <p className="day-progress small">
      <span className="badge">
        {stored.observedUntil === null ? texts.inProgress : texts.until(stored.observedUntil)}
      </span>
      {total !== undefined && rest !== undefined && (
        <span>{texts.expectedTotal(number(total) + suffix, number(rest) + suffix)}</span>
      )}
    </p>
  );
};
