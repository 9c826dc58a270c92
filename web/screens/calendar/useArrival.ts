import { useEffect } from 'react';
import { narrow } from '../../parts/useMediaQuery.js';

/** Brings the day of the address into view once the year is read; on a narrow screen selects it, which shows it. */
export const useArrival = (
  day: string | undefined,
  isRead: boolean,
  onChoose: (date: string, extend: boolean) => void,
): void => {
  useEffect(() => {
    if (day === undefined || !isRead) return;
    const cell = document.querySelector(`[data-date="${CSS.escape(day)}"]`);
    if (!cell) return;
    if (matchMedia(narrow).matches) onChoose(day, false);
    // The router first restores the position of the page.
    const frame = requestAnimationFrame(() => cell.scrollIntoView({ block: 'nearest' }));
    return () => cancelAnimationFrame(frame);
  }, [day, isRead, onChoose]);
};
