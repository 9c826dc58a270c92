import { useId, useState } from 'react';
import { useDayAct, type DayAct } from '../../api/mutations.js';
import { useMessages } from '../../messages/messages.js';
import { useToast } from '../../parts/Toasts.js';
import type { YearDay } from './yearDays.js';

const reasonMax = 2000;

/** Reference days among the selected ones: leaves them out of learning with a reason, and takes that back. */
export const LeaveOutDays = ({
  sourceId,
  days,
}: {
  readonly sourceId: number;
  readonly days: readonly YearDay[];
}) => {
  const { calendar: texts, alerts } = useMessages();
  const tell = useToast();
  const id = useId();
  const { mutate, isPending } = useDayAct(sourceId);
  const [typed, setTyped] = useState('');
  const reason = typed.trim();
  const isOut = ({ stored }: YearDay): boolean => stored?.referenceLeftOut !== undefined;
  // A year that is compared with itself has each day twice.
  const datesOf = (some: readonly YearDay[]): string[] => [...new Set(some.map(({ date }) => date))];
  const left = datesOf(days.filter(isOut));
  const learned = datesOf(days.filter(day => day.stored?.kind === 'reference' && !isOut(day)));
  const run = (act: DayAct, text: string): void =>
    mutate(act, { onSuccess: () => tell(text), onError: error => tell(alerts.failed(error.message)) });
  return (
    <>
      {learned.length > 0 && (
        <form
          className="field"
          onSubmit={event => {
            event.preventDefault();
            if (reason !== '')
              run({ act: 'leaveOut', dates: learned, reason }, texts.wereLeftOut(learned.length));
          }}
        >
          <label htmlFor={id}>{texts.leaveOutReason(learned.length)}</label>
          <div className="row nowrap">
            <input
              id={id}
              className="input grow"
              maxLength={reasonMax}
              dir="auto"
              value={typed}
              aria-describedby={`${id}-hint`}
              onChange={({ target }) => setTyped(target.value)}
            />
            <button className="button" disabled={reason === '' || isPending}>
              {texts.leaveOut}
            </button>
          </div>
          <p id={`${id}-hint`} className="hint">
            {texts.leaveOutHint}
          </p>
        </form>
      )}
      {left.length > 0 && (
        <button
          className="button"
          disabled={isPending}
          onClick={() => run({ act: 'takeBackLeavingOut', dates: left }, texts.learnedAgain(left.length))}
        >
          {texts.takeBackLeavingOut(left.length)}
        </button>
      )}
    </>
  );
};
