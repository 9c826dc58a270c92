import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { AuditEvent } from '../../api/types.js';
import { EventRow } from './EventRow.js';

const rowHeight = 56;
/** Rows before the end at which the next page is read. */
const ahead = 30;

/** Events as a list of which only the visible rows are in the page. */
export const EventList = ({
  sourceId,
  rows,
  onEnd,
}: {
  readonly sourceId: number;
  readonly rows: readonly AuditEvent[];
  /** Called when the end of the list is near. */
  readonly onEnd: () => void;
}) => {
  const list = useRef<HTMLOListElement>(null);
  const [top, setTop] = useState(0);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: top,
    getItemKey: index => rows[index]?.id ?? index,
  });
  useEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const items = virtualizer.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? 0) + ahead >= rows.length;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, onEnd]);
  return (
    <ol ref={list} className="card event-list" style={{ height: virtualizer.getTotalSize() }}>
      {items.map(({ index, key, start }) => {
        const event = rows[index];
        return (
          event && (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <EventRow sourceId={sourceId} event={event} />
            </li>
          )
        );
      })}
    </ol>
  );
};
