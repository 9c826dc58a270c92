import { useRef, type MouseEvent, type PointerEvent } from 'react';

/** Date of the cell that contains an element. */
export const dateOf = (target: EventTarget | null): string | undefined =>
  (target as HTMLElement | null)?.closest<HTMLElement>('[data-date]')?.dataset['date'];

/** A pressed pointer: where it began, the date that it reached, and whether it has left the first one. */
type Drag = { readonly from: string; readonly at: string; readonly isMoved: boolean };

/**
 * Selection of dates by pointers. A mouse selects from its press on. On a touch screen a tap selects one date and a
 * sideways movement several; the browser scrolls with movements up and down, and then cancels the pointer.
 */
export const useDragging = (
  onPoint: (date: string) => void,
  onChoose: (date: string, extend: boolean) => void,
) => {
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
      const date = dateOf(isMouse ? target : document.elementFromPoint(clientX, clientY));
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
