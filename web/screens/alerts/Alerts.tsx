import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { queries } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import type { Alert } from '../../api/types.js';
import { Failure } from '../../parts/Failure.js';
import { ResolveForm } from '../../parts/ResolveForm.js';
import { useShortcuts } from '../../parts/shortcuts.js';
import { resolvable, useAlertActions } from '../../parts/useAlertActions.js';
import { useMessages } from '../../messages/messages.js';
import { alertsRoute } from '../../router.js';
import { AlertFilters } from './AlertFilters.js';
import { AlertRow } from './AlertRow.js';
import { episodesOf } from './grouped.js';
import './alerts.css';

const rowHeight = 76;
const statesOf = { unprocessed: 'unprocessed', all: 'open,acknowledged,resolved,ended,invalidated' } as const;

/** Alerts in the order in which a person looks at them. */
export const Alerts = () => {
  const { alerts: texts, loading } = useMessages();
  const { state = 'unprocessed', kind, source, label, sort = 'criticity' } = alertsRoute.useSearch();
  const states = state === 'unprocessed' || state === 'all' ? statesOf[state] : state;
  const { data, error, refetch } = useQuery(queries.alerts(states, source, label));
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts.title]);
  const rows = useMemo(() => {
    const wanted = (data ?? []).filter(alert => kind === undefined || alert.kind === kind);
    const newest = (a: Alert, b: Alert) => b.date.localeCompare(a.date) || b.criticity - a.criticity;
    const worst = (a: Alert, b: Alert) => b.criticity - a.criticity || newest(a, b);
    const ordered = [...wanted].sort(sort === 'newest' ? newest : worst);
    return episodesOf(ordered).flatMap(({ alerts }) =>
      alerts.map((alert, index) => ({ alert, episode: alerts, first: index === 0 })),
    );
  }, [data, kind, sort]);
  return (
    <>
      <div className="page-head">
        <h1>{texts.title}</h1>
        <p className="muted" role="status">
          {data ? texts.count(rows.length) : error ? '' : loading}
        </p>
      </div>
      <AlertFilters />
      {error && !data && <Failure error={error} reset={() => void refetch()} />}
      {data && rows.length === 0 && <p className="notice good">{texts.none}</p>}
      {rows.length > 0 && <AlertList rows={rows} />}
    </>
  );
};

type Row = { readonly alert: Alert; readonly episode: readonly Alert[]; readonly first: boolean };

const AlertList = ({ rows }: { readonly rows: readonly Row[] }) => {
  const { alerts: texts } = useMessages();
  const navigate = useNavigate();
  const mayAct = useScope('alert');
  const actions = useAlertActions();
  const list = useRef<HTMLUListElement>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const [top, setTop] = useState(0);
  const [at, setAt] = useState(0);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [resolving, setResolving] = useState<readonly string[]>([]);
  const { data: overview } = useQuery(queries.overview(undefined));
  const names = useMemo(() => new Map(overview?.sources.map(({ id, name }) => [id, name])), [overview]);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: top,
    scrollPaddingStart: 64,
    scrollPaddingEnd: 24,
    getItemKey: index => rows[index]?.alert.id ?? index,
  });
  useEffect(() => setTop(list.current?.offsetTop ?? 0), []);

  const current = rows[Math.min(at, rows.length - 1)]?.alert;
  const chosen = rows.map(({ alert }) => alert).filter(({ id }) => selected.has(id));
  /** Alerts that a key acts on: the selection, or the alert that has the focus. */
  const targets = (states: readonly Alert['state'][]): string[] =>
    (chosen.length > 0 ? chosen : current ? [current] : [])
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
  const toggle = (id: string): void =>
    setSelected(before => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const acknowledge = (ids: readonly string[]): void => {
    if (ids.length > 0) actions.acknowledge(ids);
    setSelected(new Set());
  };
  const resolve = (ids: readonly string[]): void => {
    if (ids.length === 0) return;
    setResolving(ids);
    dialog.current?.showModal();
  };
  useShortcuts({
    j: () => move(document.activeElement?.closest('[data-index]') ? 1 : 0),
    k: () => move(-1),
    x: () => current && toggle(current.id),
    ...(mayAct && {
      a: () => acknowledge(targets(['open'])),
      r: () => resolve(targets(resolvable)),
    }),
    Escape: () => setSelected(new Set()),
    o: () => void (current && navigate({ to: '/alerts/$alertId', params: { alertId: current.id } })),
  });

  return (
    <>
      <div className="selection" data-shown={selected.size > 0 || undefined}>
        {selected.size > 0 ? (
          <>
            <strong>{texts.selected(chosen.length)}</strong>
            {mayAct && (
              <>
                <button className="button" onClick={() => acknowledge(targets(['open']))}>
                  {texts.acknowledge}
                </button>
                <button className="button" onClick={() => resolve(targets(resolvable))}>
                  {texts.resolve}
                </button>
              </>
            )}
            <button className="button quiet" onClick={() => setSelected(new Set())}>
              {texts.clear}
            </button>
          </>
        ) : (
          <span className="muted small">{texts.keys}</span>
        )}
      </div>
      <ul
        ref={list}
        className="card alert-list"
        aria-label={texts.title}
        style={{ height: virtualizer.getTotalSize(), position: 'relative' }}
      >
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          return (
            row && (
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
                  sourceName={names.get(row.alert.sourceId) ?? ''}
                  selected={selected.has(row.alert.id)}
                  onSelect={() => toggle(row.alert.id)}
                  onAcknowledge={() => acknowledge([row.alert.id])}
                  onResolve={() => resolve([row.alert.id])}
                  onReopen={() => actions.reopen([row.alert.id])}
                />
              </li>
            )
          );
        })}
      </ul>
      <dialog ref={dialog} aria-labelledby="resolve-title">
        <h2 id="resolve-title">{texts.resolveTitle(resolving.length)}</h2>
        <ResolveForm
          key={resolving.join()}
          pending={actions.isPending}
          onResolve={(verdict, comment) =>
            actions.resolve(resolving, verdict, comment, () => {
              setSelected(new Set());
              dialog.current?.close();
            })
          }
        />
      </dialog>
    </>
  );
};
