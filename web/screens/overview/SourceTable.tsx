import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  useCallback,
  useEffect,
  useRef,
  useState,
  type CSSProperties,
  type RefObject,
  type ReactNode,
} from 'react';
import { queries } from '../../api/queries.js';
import type { OverviewSource } from '../../api/client.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { useShortcuts } from '../../parts/shortcuts.js';
import { narrow, useMediaQuery } from '../../parts/smallScreens.js';
import { wall } from '../../api/early.js';
import { alertIdOf, weekdayOf, type Look } from '../../parts/days.js';
import { SourceCells } from './SourceCells.js';

/** Heights of a row in rem, wide and narrow, and the largest on a wall display. */
const rowRem = 2.875;
const rowRemNarrow = 4.875;
const rowRemMax = 6;
/** Height of the bars in rem, and their share of a tall row. */
const stripRem = 1.75;
const stripShare = 0.64;
/** Space below the table in rem. */
const belowRem = 3;
/** Rows whose planning is read together. */
const blockSize = 25;

/** A source, or the name of the group of the sources below it. */
export type TableRow = OverviewSource | { readonly group: string; readonly count: number };

const isSource = (row: TableRow): row is OverviewSource => 'id' in row;

/** Sources as rows, of which only the visible ones are in the page. */
export const SourceTable = ({
  rows,
  dates,
  to,
}: {
  readonly rows: readonly TableRow[];
  readonly dates: readonly string[];
  readonly to: string;
}) => {
  const { overview: texts } = useMessages();
  const table = useRef<HTMLDivElement>(null);
  const { virtualizer, top, height, strip } = useRows(rows, table);
  const items = virtualizer.getVirtualItems();
  const planned = usePlanned(rows, [items[0]?.index ?? 0, items.at(-1)?.index ?? 0], to);
  const choose = useChoice();
  useRowKeys(table);
  return (
    <Tip className="card sources-card">
      <div
        ref={table}
        className="sources"
        role="table"
        aria-label={texts.sources}
        aria-rowcount={rows.length + 1}
        style={{ '--days': dates.length, '--strip': `${strip}px` } as CSSProperties}
      >
        <TableHead dates={dates} />
        <div role="rowgroup" style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {items.map(({ index, key, start }) => {
            const source = rows[index];
            if (!source) return null;
            return (
              <div
                key={key}
                role="row"
                data-row={isSource(source) || undefined}
                data-group={!isSource(source) || undefined}
                aria-rowindex={index + 2}
                className="sources-row"
                style={{ height, transform: `translateY(${start - top}px)` }}
              >
                {isSource(source) ? (
                  <SourceCells
                    source={source}
                    dates={dates}
                    planned={planned.get(source.id)}
                    choose={choose}
                  />
                ) : (
                  <div role="cell" className="group-name" dir="auto">
                    {source.group || texts.noGroup} <span className="muted small">{source.count}</span>
                  </div>
                )}
              </div>
            );
          })}
        </div>
      </div>
    </Tip>
  );
};

const TableHead = ({ dates }: { readonly dates: readonly string[] }) => {
  const { overview: texts } = useMessages();
  const formats = useFormats();
  return (
    <div role="rowgroup" className="sources-head">
      <div role="row" aria-rowindex={1} className="sources-row">
        <div role="columnheader">{texts.source}</div>
        <div role="columnheader" className="scale">
          <span className="hidden">{formats.range(dates[0] ?? '', dates.at(-1) ?? '')}</span>
          {dates.map(
            (date, index) =>
              weekdayOf(date) === 0 &&
              index + 3 < dates.length && (
                <span key={date} style={{ gridColumn: `${index + 1} / span 3` }} aria-hidden>
                  {formats.dayMonth(date)}
                </span>
              ),
          )}
        </div>
        <div role="columnheader" className="col-last">
          {texts.lastData}
        </div>
        <div role="columnheader" className="col-open">
          {texts.openAlerts}
        </div>
      </div>
    </div>
  );
};

/** The visible rows, heights of a row and its bars in pixels, and the distance of the table from the page's top. */
const useRows = (rows: readonly TableRow[], table: RefObject<HTMLDivElement | null>) => {
  const [top, setTop] = useState(0);
  const isNarrow = useMediaQuery(narrow);
  const isWall = useMediaQuery(wall);
  // Text is larger on a wall display.
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const usual = (isNarrow ? rowRemNarrow : rowRem) * rem;
  // Few rows fill a wall display.
  const free = (innerHeight - top - (rowRem + belowRem) * rem) / rows.length;
  const height = Math.round(isWall ? Math.min(Math.max(usual, free), rowRemMax * rem) : usual);
  const strip = Math.round(isWall ? Math.max(stripRem * rem, height * stripShare) : stripRem * rem);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: top,
    getItemKey: index => keyOf(rows[index]) ?? index,
  });
  useEffect(() => setTop(table.current?.offsetTop ?? 0), [table]);
  useEffect(() => virtualizer.measure(), [height, virtualizer]);
  return { virtualizer, top, height, strip };
};

const keyOf = (row: TableRow | undefined): string | number | undefined =>
  row && (isSource(row) ? row.id : `group ${row.group}`);

/** Planned models after the last data, read for blocks of the visible rows. */
const usePlanned = (
  rows: readonly TableRow[],
  [firstRow, lastRow]: readonly [number, number],
  to: string,
): ReadonlyMap<number, OverviewSource['planned']> => {
  const first = Math.floor(firstRow / blockSize);
  const last = Math.floor(lastRow / blockSize);
  const blocks = Array.from({ length: last - first + 1 }, (_, index) =>
    rows
      .slice((first + index) * blockSize, (first + index + 1) * blockSize)
      .filter(isSource)
      .map(({ id }) => id),
  );
  const read = useQueries({
    queries: blocks.filter(ids => ids.length > 0).map(ids => queries.overviewPlanned(ids, to)),
  });
  const sources = read.flatMap(({ data }) => data?.sources ?? []);
  return new Map(sources.map(source => [source.id, source.planned]));
};

/** j and k move between the names of the rows. */
const useRowKeys = (table: RefObject<HTMLDivElement | null>): void => {
  const focusRow = (step: number): void => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>('[data-row] a.source-name') ?? [])];
    const at = links.findIndex(link => link.closest('[data-row]')?.contains(document.activeElement));
    links[at < 0 ? 0 : at + step]?.focus();
  };
  useShortcuts({ j: () => focusRow(1), k: () => focusRow(-1) });
};

/** A stable function that opens the alert of a day, else the day in the calendar. */
const useChoice = () => {
  const navigate = useNavigate();
  const go = useRef(navigate);
  go.current = navigate;
  return useCallback(
    (id: number) => (date: string, look: Look) => {
      const alertId = alertIdOf(look);
      void (alertId !== undefined
        ? go.current({ to: '/alerts/$alertId', params: { alertId } })
        : go.current({
            to: '/sources/$sourceId/calendar/$year',
            params: { sourceId: id, year: Number(date.slice(0, 4)) },
            search: { day: date },
          }));
    },
    [],
  );
};

/** Tooltip with the text of `data-tip` of the element under the pointer. Accessible names have the same facts. */
const Tip = ({ children, className }: { readonly children: ReactNode; readonly className?: string }) => {
  const [tip, setTip] = useState<{ readonly text: string; readonly x: number; readonly y: number }>();
  return (
    <div
      className={className}
      onPointerOver={({ target }) => {
        const element = (target as HTMLElement).closest<HTMLElement>('[data-tip]');
        const text = element?.dataset['tip'];
        if (!element || text === undefined) return setTip(undefined);
        const { left, width, top } = element.getBoundingClientRect();
        setTip({ text, x: left + width / 2, y: top });
      }}
      onPointerLeave={() => setTip(undefined)}
    >
      {children}
      {tip && (
        <div
          className="tip"
          aria-hidden
          style={{
            left: Math.min(Math.max(tip.x, 130), document.documentElement.clientWidth - 130),
            top: tip.y - 6,
          }}
        >
          {tip.text}
        </div>
      )}
    </div>
  );
};
