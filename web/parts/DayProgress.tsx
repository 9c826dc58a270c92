import { useQuery } from '@tanstack/react-query';
import { queries, type AsOf } from '../api/queries.js';
import type { StoredDay } from '../api/client.js';
import { useFormats } from '../messages/formats.js';
import { useMessages } from '../messages/messages.js';

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
