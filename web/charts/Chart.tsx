import { useEffect, useRef, useState } from 'react';
import type { Drawing } from './drawn.js';

/** Width of paper between its margins, in pixels of CSS. */
const paperWidth = 680;

/** Pixels of a rem over the 16 that sizes of charts are given for. */
const remScale = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/**
 * Puts a drawing into the page and draws it again when its width or its data change.
 * @param draw stable while the data are the same (useCallback)
 * @param height in pixels on a page with text of 16 pixels; grows with larger text, as on a wall display
 */
export const Chart = ({
  draw,
  height,
  width: fixed,
}: {
  readonly draw: (width: number, height: number) => Drawing;
  readonly height: number;
  /** Given for small charts of one size, which need no measuring. */
  readonly width?: number;
}) => {
  const place = useRef<HTMLDivElement>(null);
  const [measured, setMeasured] = useState(0);
  const [scale, setScale] = useState(remScale);
  const width = fixed === undefined ? measured : Math.round(fixed * scale);
  const tall = Math.round(height * scale);
  useEffect(() => {
    const element = place.current;
    if (!element || fixed !== undefined) return;
    const observer = new ResizeObserver(([entry]) => {
      setMeasured(Math.floor(entry?.contentRect.width ?? 0));
      setScale(remScale());
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [fixed]);
  useEffect(() => {
    const show = (wide: number): void => place.current?.replaceChildren(draw(wide, tall));
    if (width > 0) show(width);
    // A chart of a wide screen would have tiny text on paper.
    const shrink = (): void => show(Math.min(width, paperWidth));
    const restore = (): void => show(width);
    addEventListener('beforeprint', shrink);
    addEventListener('afterprint', restore);
    return () => {
      removeEventListener('beforeprint', shrink);
      removeEventListener('afterprint', restore);
    };
  }, [draw, width, tall]);
  return (
    <div ref={place} className="chart" style={{ minHeight: tall, ...(fixed !== undefined && { width }) }} />
  );
};
