import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { addDays } from './days.js';

/** The days that the overview shows, and the way to others. */
export const Period = ({
  from,
  to,
  isLatest,
  onChange,
}: {
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  readonly isLatest: boolean;
  /** Called with the end of another period, undefined for the latest. */
  readonly onChange: (to: string | undefined) => void;
}) => {
  const { overview: texts } = useMessages();
  const { range } = useFormats();
  const half = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000 / 2);
  return (
    <div className="row nowrap period" role="group" aria-label={texts.days(from, to)}>
      <button
        className="button quiet icon"
        aria-label={texts.earlier}
        onClick={() => onChange(addDays(to, -half))}
      >
        ‹
      </button>
      <span>{range(from, addDays(to, -1))}</span>
      <button
        className="button quiet icon"
        aria-label={texts.later}
        onClick={() => onChange(addDays(to, half))}
      >
        ›
      </button>
      {!isLatest && (
        <button className="button quiet" onClick={() => onChange(undefined)}>
          {texts.latest}
        </button>
      )}
    </div>
  );
};
