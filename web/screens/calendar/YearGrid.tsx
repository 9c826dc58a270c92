import {
  memo,
  useMemo,
  useRef,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
} from 'react';
import { modelNameOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { modelColor } from '../../parts/modelColor.js';
import { addDays, weekdayOf } from '../../parts/days.js';
import type { Range } from './selection.js';
import { monthsOf, type YearDay } from './yearDays.js';
import { isOfBrowser } from '../../parts/shortcuts.js';

/** Date of the cell that contains an element. */
const dateOf = (target: EventTarget | null): string | undefined =>
  (target as HTMLElement | null)?.closest<HTMLElement>('[data-date]')?.dataset['date'];

/** Date of the cell at a point of the screen, also below the panel of a phone, which comes with the first date. */
const dateAt = (x: number, y: number): string | undefined =>
  document
    .elementsFromPoint(x, y)
    .map(dateOf)
    .find(date => date !== undefined);

/** A pressed pointer: where it began, the date that it reached, and whether it has left the first one. */
type Drag = { readonly from: string; readonly at: string; readonly isMoved: boolean };

/**
 * Selection of dates by pointers. A mouse selects from its press on. On a touch screen a tap selects one date and a
 * sideways movement several; the browser scrolls with movements up and down, and then cancels the pointer.
 */
const useDragging = (onPoint: (date: string) => void, onChoose: (date: string, extend: boolean) => void) => {
  const drag = useRef<Drag>(undefined);
  const wasMoved = useRef(false);
  const end = (): void => (drag.current = undefined);
  return {
    onPointerDown: (event: PointerEvent): void => {
      const date = dateOf(event.target);
      if (date === undefined || event.button !== 0) return;
      const isMouse = event.pointerType === 'mouse';
      drag.current = { from: date, at: date, isMoved: isMouse };
      wasMoved.current = isMouse;
      if (isMouse) onChoose(date, event.shiftKey);
      addEventListener('pointerup', end, { once: true });
    },
    onPointerMove: ({ target, pointerType, clientX, clientY }: PointerEvent): void => {
      // Events of a touch name the cell in which it began.
      const isMouse = pointerType === 'mouse';
      const date = isMouse ? dateOf(target) : dateAt(clientX, clientY);
      const { current } = drag;
      if (date === undefined || (!isMouse && !current)) return;
      if (!current) return onPoint(date);
      if (current.at === date) return;
      if (!current.isMoved) onChoose(current.from, false);
      onChoose(date, true);
      onPoint(date);
      drag.current = { ...current, at: date, isMoved: true };
      wasMoved.current = true;
    },
    onPointerCancel: end,
    onClick: ({ target }: MouseEvent): void => {
      const date = dateOf(target);
      if (date !== undefined && !wasMoved.current) {
        onChoose(date, false);
        onPoint(date);
        // The panel of a phone covers the lower half; see scroll-margin of cells.
        (target as HTMLElement).scrollIntoView({ block: 'nearest', behavior: 'smooth' });
      }
      wasMoved.current = false;
    },
  };
};

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/**
 * A year, coloured by model. Arrow keys move by day and week, with Shift they select; pointers select by dragging.
 * No chart library has such a grid with a name and a key for each day.
 */
export const YearGrid = memo(function YearGrid({
  year,
  days,
  at,
  firstMonth,
  range,
  highlighted,
  onPoint,
  onChoose,
}: {
  readonly year: number;
  readonly days: readonly YearDay[];
  /** The date whose profile is shown, and that the Tab key reaches. */
  readonly at: string;
  /** The month that comes first, `YYYY-MM`, before the ones before it; undefined for the order of the year. */
  readonly firstMonth: string | undefined;
  readonly range: Range | undefined;
  /** Model whose days stand out. */
  readonly highlighted: number | undefined;
  readonly onPoint: (date: string) => void;
  readonly onChoose: (date: string, extend: boolean) => void;
}) {
  const { calendar: texts } = useMessages();
  const formats = useFormats();
  const grid = useRef<HTMLDivElement>(null);
  const dragging = useDragging(onPoint, onChoose);
  const months = useMemo(() => {
    const all = monthsOf(days, weekdayOf);
    const at = all.findIndex(({ month }) => month === firstMonth);
    return at < 0 ? all : [...all.slice(0, at + 1).reverse(), ...all.slice(at + 1)];
  }, [days, firstMonth]);

  const focus = (date: string): void =>
    grid.current?.querySelector<HTMLElement>(`[data-date="${date}"]`)?.focus();
  /** The date that the last step with Shift reached, from which a further one goes on. */
  const reached = useRef<string>(undefined);
  const press = (event: KeyboardEvent): void => {
    const date = dateOf(event.target);
    if (date === undefined || event.key === 'Shift' || isOfBrowser(event)) return;
    const goesOn = reached.current === date;
    reached.current = undefined;
    const step = steps[event.key];
    const next =
      step !== undefined
        ? addDays(date, step)
        : event.key === 'Home'
          ? `${date.slice(0, 7)}-01`
          : event.key === 'PageUp'
            ? addDays(date, -28)
            : event.key === 'PageDown'
              ? addDays(date, 28)
              : undefined;
    if (next !== undefined && next.startsWith(String(year).padStart(4, '0'))) {
      event.preventDefault();
      if (event.shiftKey) {
        if (!goesOn) onChoose(date, false);
        onChoose(next, true);
        reached.current = next;
      }
      onPoint(next);
      focus(next);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onChoose(date, event.shiftKey);
    }
  };
  const tabDate = days.some(({ date }) => date === at) ? at : days[0]?.date;
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={texts.grid(year)}
      aria-multiselectable
      className="year"
      data-highlight={highlighted !== undefined || undefined}
      onKeyDown={press}
      onFocus={({ target }) => {
        const date = dateOf(target);
        if (date !== undefined) onPoint(date);
      }}
      {...dragging}
    >
      {months.map(({ month, weeks }) => (
        <div key={month} role="rowgroup" aria-label={formats.month(`${month}-01`)} className="month">
          <span aria-hidden className="month-name">
            {formats.month(`${month}-01`)}
          </span>
          {weeks.map(week => (
            <div key={week[0]?.date} role="row" className="week">
              {week.map(day => (
                <Cell
                  key={day.date}
                  day={day}
                  tabbable={day.date === tabDate}
                  shown={day.date === at}
                  selected={range !== undefined && day.date >= range.from && day.date <= range.to}
                  dimmed={highlighted !== undefined && day.model?.id !== highlighted}
                  name={texts.cell(
                    formats.nameDay(day.date),
                    day.model ? modelNameOf(day.model, formats) : texts.noModel,
                    {
                      inProgress: day.stored?.inProgress === true,
                      alert: day.alert !== undefined,
                    },
                  )}
                />
              ))}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
});

const Cell = memo(function Cell({
  day: { date, model, stored, plan, mark, alert },
  tabbable,
  shown,
  selected,
  dimmed,
  name,
}: {
  readonly day: YearDay;
  readonly tabbable: boolean;
  readonly shown: boolean;
  readonly selected: boolean;
  readonly dimmed: boolean;
  readonly name: string;
}) {
  const style = {
    gridColumn: weekdayOf(date) + 1,
    ...(model && { '--model': modelColor(model.color) }),
  } as CSSProperties;
  return (
    <div
      role="gridcell"
      tabIndex={tabbable ? 0 : -1}
      aria-label={name}
      aria-selected={selected}
      data-date={date}
      data-seen={stored !== undefined || undefined}
      data-progress={stored?.inProgress || undefined}
      data-unplanned={model === undefined || undefined}
      data-manual={plan?.origin === 'manual' || undefined}
      data-mark={mark?.type}
      data-alert={alert?.state}
      data-shown={shown || undefined}
      data-dimmed={dimmed || undefined}
      className="cell"
      style={style}
    >
      <span aria-hidden data-number={Number(date.slice(8))} />
    </div>
  );
});
