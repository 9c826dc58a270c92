import { useState } from 'react';
import { useDayAct, type DayAct } from '../../api/mutations.js';
import { useMessages } from '../../messages/messages.js';
import { LineForm } from '../../parts/Field.js';
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
        <LineForm
          label={texts.leaveOutReason(learned.length)}
          hint={texts.leaveOutHint}
          button={texts.leaveOut}
          isReady={reason !== '' && !isPending}
          onSubmit={() => run({ act: 'leaveOut', dates: learned, reason }, texts.wereLeftOut(learned.length))}
          maxLength={reasonMax}
          value={typed}
          onChange={setTyped}
        />
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
