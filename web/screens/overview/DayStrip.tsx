import { memo, type CSSProperties } from 'react';
import type { Messages } from '../../messages/en.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';
import type { Look } from './days.js';

/** A day in words. */
export const describe = (
  look: Look,
  { overview: { cells }, states }: Messages,
  percent: (n: number) => string,
): string => {
  switch (look.kind) {
    case 'alert':
      return cells.alert(percent(look.criticity), states[look.state]);
    case 'planned':
      return cells.planned(look.name);
    default:
      return cells[look.kind];
  }
};

/** Days of one source as small bars: height and tone rise with criticity. The label has the counts in words. */
export const DayStrip = memo(function DayStrip({
  looks,
  dates,
  choose,
}: {
  readonly looks: readonly Look[];
  readonly dates: readonly string[];
  readonly choose: (date: string, look: Look) => void;
}) {
  const messages = useMessages();
  const formats = useFormats();
  const alerts = looks.filter(({ kind }) => kind === 'alert').length;
  const missing = looks.filter(({ kind }) => kind === 'none').length;
  const indexOf = (target: EventTarget): number =>
    Number((target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1);
  return (
    <div
      className="strip"
      role="img"
      aria-label={messages.overview.strip(dates.length, alerts, missing)}
      style={{ '--days': dates.length } as CSSProperties}
      onClick={({ target }) => {
        const index = indexOf(target);
        const date = dates[index];
        const look = looks[index];
        if (date !== undefined && look) choose(date, look);
      }}
    >
      {looks.map((look, index) => {
        const date = dates[index] ?? '';
        return (
          <span
            key={date}
            data-index={index}
            data-look={look.kind}
            {...(look.kind === 'alert' && {
              'data-level': look.level,
              'data-done': look.state === 'resolved' || undefined,
            })}
            data-tip={`${formats.day(date)} · ${describe(look, messages, formats.percent)}`}
          >
            <i style={look.kind === 'planned' ? { background: modelColor(look.color) } : undefined} />
          </span>
        );
      })}
    </div>
  );
});
