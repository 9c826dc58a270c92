import { useEffect, useRef, useState } from 'react';
import type { Drawing } from './drawn.js';

/**
 * Puts a drawing into the page and draws it again when its width or its data change.
 * @param draw stable while the data are the same (useCallback)
 */
export const Chart = ({
  draw,
  height,
  width: fixed,
}: {
  readonly draw: (width: number) => Drawing;
  readonly height: number;
  /** Given for small charts of one size, which need no measuring. */
  readonly width?: number;
}) => {
  const place = useRef<HTMLDivElement>(null);
  const [measured, setMeasured] = useState(0);
  const width = fixed ?? measured;
  useEffect(() => {
    const element = place.current;
    if (!element || fixed !== undefined) return;
    const observer = new ResizeObserver(([entry]) => setMeasured(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [fixed]);
  useEffect(() => {
    if (width > 0) place.current?.replaceChildren(draw(width));
  }, [draw, width]);
  return <div ref={place} style={{ minHeight: height, ...(fixed !== undefined && { width: fixed }) }} />;
};
