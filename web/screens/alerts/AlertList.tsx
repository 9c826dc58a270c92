import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type RefObject } from 'react';
import type { Alert } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { resolvable, useAlertActions } from '../../parts/useAlertActions.js';
import { useSourceNames } from '../../parts/useSourceNames.js';
import { AlertRow } from './AlertRow.js';
import { ResolveDialog } from './ResolveDialog.js';
import { SelectionBar } from './SelectionBar.js';
import { useAlertKeys } from './useAlertKeys.js';
import { useSelection } from './useSelection.js';

const rowHeight = 76;

export type Row = { readonly alert: Alert; readonly episode: readonly Alert[]; readonly first: boolean };

/** Alerts as rows, of which only the visible ones are in the page; with keys and acts on several at once. */
export const AlertList = ({ rows }: { readonly rows: readonly Row[] }) => {
  const { alerts: texts } = useMessages();
  const actions = useAlertActions();
  const list = useRef<HTMLUListElement>(null);
  const [at, setAt] = useState(0);
  const [resolving, setResolving] = useState<readonly string[]>([]);
  const selection = useSelection(rows.map(({ alert }) => alert));
  const names = useSourceNames();
  const { virtualizer, top } = useRows(rows, list);

  const current = rows[Math.min(at, rows.length - 1)]?.alert;
  /** Alerts that a key acts on, if their states allow it: the selection, or the alert that has the focus. */
  const targets = (states: readonly Alert['state'][]): string[] =>
    (selection.alerts.length > 0 ? selection.alerts : current ? [current] : [])
      .filter(({ state }) => states.includes(state))
      .map(({ id }) => id);
  const move = (step: number): void => {
    const next = Math.min(Math.max(at + step, 0), rows.length - 1);
    setAt(next);
    virtualizer.scrollToIndex(next);
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-index="${next}"] a.alert-link`)?.focus(),
    );
  };
  const acknowledge = (ids: readonly string[]): void => {
    if (ids.length > 0) actions.acknowledge(ids);
    selection.clear();
  };
  const acts = {
    acknowledge: () => acknowledge(targets(['open'])),
    resolve: () => setResolving(targets(resolvable)),
  };
  useAlertKeys(current, { move, ...selection, ...acts });

  return (
    <>
      <SelectionBar
        count={selection.alerts.length}
        onAcknowledge={acts.acknowledge}
        onResolve={acts.resolve}
        onClear={selection.clear}
      />
      <ul
        ref={list}
        className="card alert-list"
        aria-label={texts.title}
        style={{ height: virtualizer.getTotalSize(), position: 'relative' }}
      >
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          if (!row) return null;
          const { id, sourceId } = row.alert;
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              data-following={!row.first || undefined}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              onFocus={() => setAt(index)}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <AlertRow
                {...row}
                sourceName={names.get(sourceId) ?? ''}
                selected={selection.has(id)}
                onSelect={() => selection.toggle(id)}
                onAcknowledge={() => acknowledge([id])}
                onResolve={() => setResolving([id])}
                onReopen={() => actions.reopen([id])}
              />
            </li>
          );
        })}
      </ul>
      <ResolveDialog
        ids={resolving}
        pending={actions.isPending}
        onClose={() => setResolving([])}
        onResolve={(verdict, comment) =>
          actions.resolve(resolving, verdict, comment, () => {
            selection.clear();
            setResolving([]);
          })
        }
      />
    </>
  );
};

/** The visible rows, and the distance of the list from the top of the page. */
const useRows = (rows: readonly Row[], list: RefObject<HTMLUListElement | null>) => {
  const [top, setTop] = useState(0);
  useEffect(() => setTop(list.current?.offsetTop ?? 0), [list]);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: top,
    scrollPaddingStart: 64,
    scrollPaddingEnd: 24,
    getItemKey: index => rows[index]?.alert.id ?? index,
  });
  return { virtualizer, top };
};
