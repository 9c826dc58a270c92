import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type RefObject } from 'react';
import type { Incident, Verdict } from '../../api/client.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Failure.js';
import { reopenable, resolvableIncident, useIncidentActions, ResolveForm } from '../../parts/actions.js';
import { IncidentRow } from './IncidentRow.js';
import { useNavigate } from '@tanstack/react-router';
import { useIds } from '../../parts/useIds.js';
import { useScope } from '../../api/session.js';
import { moveDraft } from '../../parts/drafts.js';
import { useShortcuts } from '../../parts/shortcuts.js';

const rowHeight = 64;

/** Incidents as rows, of which only the visible ones are in the page; with keys and acts on several at once. */
export const IncidentList = ({ rows }: { readonly rows: readonly Incident[] }) => {
  const { incidents: texts } = useMessages();
  const actions = useIncidentActions();
  const list = useRef<HTMLUListElement>(null);
  /** Index of the row that had the focus last, where j goes on. */
  const [at, setAt] = useState(0);
  const resolution = useIncidentActions();
  const [resolving, setResolving] = useState(noResolution);
  const selection = useIds(rows);
  const unfolded = useIds(rows);
  const { virtualizer, top } = useRows(rows, list);

  /** Index of the row that has the focus: live changes move rows. */
  const focused = (): number | undefined => {
    const row = list.current?.querySelector<HTMLElement>('[data-index]:focus-within');
    return row ? Number(row.dataset['index']) : undefined;
  };
  const current = (): readonly Incident[] => rows.filter((_, index) => index === focused());
  /** Incidents that a key acts on, if their states allow it: the selection, or the one that has the focus. */
  const targets = (states: readonly Incident['state'][]): readonly Incident[] =>
    (selection.chosen.length > 0 ? selection.chosen : current()).filter(({ state }) =>
      states.includes(state),
    );
  const move = (step: number): void => {
    const from = focused();
    const next = Math.min(Math.max(from === undefined ? at : from + step, 0), rows.length - 1);
    setAt(next);
    virtualizer.scrollToIndex(next);
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-index="${next}"] a.incident-link`)?.focus(),
    );
  };
  const acknowledge = (incidents: readonly Incident[]): void =>
    actions.acknowledge(incidents, selection.remove);
  const ask = (incidents: readonly Incident[]): void => {
    resolution.reset();
    setResolving({ asked: draftOf(incidents), incidents });
  };
  const acts = {
    acknowledge: () => acknowledge(targets(['open'])),
    resolve: () => ask(targets(resolvableIncident)),
    reopen: () => actions.reopen(targets(reopenable), selection.remove),
  };
  /** An incident as the list has it now, unless it has left the list. */
  const asNow = (one: Incident): Incident => rows.find(({ id }) => id === one.id) ?? one;
  useIncidentKeys(current, { move, ...selection, ...acts });

  return (
    <>
      {rows.length > 0 && (
        <SelectionBar
          count={selection.chosen.length}
          {...allowedActs(selection.chosen, acts)}
          onClear={selection.clear}
        />
      )}
      <ul
        ref={list}
        className="card incident-list"
        aria-label={texts.title}
        hidden={rows.length === 0}
        style={{ height: virtualizer.getTotalSize(), position: 'relative' }}
      >
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const incident = rows[index];
          if (!incident) return null;
          const { id } = incident;
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              onFocus={() => setAt(index)}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <IncidentRow
                incident={incident}
                selected={selection.has(id)}
                unfolded={unfolded.has(id)}
                onSelect={() => selection.toggle(id)}
                onUnfold={() => unfolded.toggle(id)}
                onAcknowledge={() => acknowledge([incident])}
                onResolve={() => ask([incident])}
                onReopen={() => actions.reopen([incident])}
              />
            </li>
          );
        })}
      </ul>
      <ResolveDialog
        {...resolving}
        pending={resolution.isPending}
        error={resolving.incidents.length > 0 ? resolution.error : null}
        onClose={() => setResolving(noResolution)}
        onResolve={(verdict, comment, done) =>
          resolution.resolve(resolving.incidents.map(asNow), verdict, comment, ids => {
            const incidents = resolving.incidents.filter(({ id }) => !ids.includes(id));
            if (incidents.length === 0) done();
            else moveDraft(draftOf(resolving.incidents), draftOf(incidents));
            selection.remove(ids);
            // A person may have opened the dialog for others since.
            setResolving(now => (now === resolving ? { ...now, incidents } : now));
          })
        }
      />
    </>
  );
};

/** The visible rows, and the distance of the list from the top of the page. */
const useRows = (rows: readonly Incident[], list: RefObject<HTMLUListElement | null>) => {
  const [top, setTop] = useState(0);
  const isShown = rows.length > 0;
  useEffect(() => setTop(list.current?.offsetTop ?? 0), [list, isShown]);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: top,
    scrollPaddingStart: 64,
    scrollPaddingEnd: 24,
    getItemKey: index => rows[index]?.id ?? index,
  });
  return { virtualizer, top };
};

/** Keys of the list: j and k move, x selects, a and r act on the selection or the focused row, o opens it. */
const useIncidentKeys = (
  current: () => readonly Incident[],
  list: {
    readonly move: (step: number) => void;
    readonly toggle: (id: string) => void;
    readonly clear: () => void;
    readonly acknowledge: () => void;
    readonly resolve: () => void;
  },
): void => {
  const navigate = useNavigate();
  const mayAct = useScope('alert');
  useShortcuts({
    j: () => list.move(1),
    k: () => list.move(-1),
    x: () => current().forEach(({ id }) => list.toggle(id)),
    ...(mayAct && { a: list.acknowledge, r: list.resolve }),
    Escape: list.clear,
    o: () =>
      current().forEach(
        ({ id }) => void navigate({ to: '/incidents/$incidentId', params: { incidentId: id } }),
      ),
  });
};

/** The acts on selected incidents that the states of some allow. */
const allowedActs = (
  incidents: readonly Incident[],
  acts: Record<'acknowledge' | 'resolve' | 'reopen', () => void>,
) => {
  const isAllowed = (states: readonly Incident['state'][]): boolean =>
    incidents.some(({ state }) => states.includes(state));
  return {
    ...(isAllowed(['open']) && { onAcknowledge: acts.acknowledge }),
    ...(isAllowed(resolvableIncident) && { onResolve: acts.resolve }),
    ...(isAllowed(reopenable) && { onReopen: acts.reopen }),
  };
};

/** Actions on the selected incidents; without any, a hint to the keys. */
const SelectionBar = ({
  count,
  onAcknowledge,
  onResolve,
  onReopen,
  onClear,
}: {
  readonly count: number;
  /** Absent for what no selected incident allows. */
  readonly onAcknowledge?: () => void;
  readonly onResolve?: () => void;
  readonly onReopen?: () => void;
  readonly onClear: () => void;
}) => {
  const { incidents: texts, alerts } = useMessages();
  const mayAct = useScope('alert');
  if (count === 0)
    return (
      <div className="selection">
        <span className="muted small keys-hint">{texts.keys}</span>
      </div>
    );
  return (
    <div className="selection" data-shown>
      <strong>{texts.selected(count)}</strong>
      {mayAct && (
        <>
          {onAcknowledge && (
            <button type="button" className="button" onClick={onAcknowledge}>
              {alerts.acknowledge}
            </button>
          )}
          {onResolve && (
            <button type="button" className="button" onClick={onResolve}>
              {alerts.resolve}
            </button>
          )}
          {onReopen && (
            <button type="button" className="button" onClick={onReopen}>
              {alerts.reopen}
            </button>
          )}
        </>
      )}
      <button
        type="button"
        className="button quiet icon"
        aria-label={texts.clear}
        title={texts.clear}
        onClick={onClear}
      >
        ×
      </button>
    </div>
  );
};

/** Incidents that the dialog asks about, and the name of its form, which stays when some of them are resolved. */
type Resolution = { readonly asked: string; readonly incidents: readonly Incident[] };
const noResolution: Resolution = { asked: '', incidents: [] };

/** Name of the comment on the resolution of incidents. */
const draftOf = (incidents: readonly Incident[]): string =>
  `resolve ${incidents
    .map(({ id }) => id)
    .toSorted()
    .join()}`;

/** Asks for a verdict on one or more incidents; closed while there are none. */
const ResolveDialog = ({
  asked,
  incidents,
  pending,
  error,
  onResolve,
  onClose,
}: Resolution & {
  readonly pending: boolean;
  /** Why all or some were refused: the message about it lies below the dialog. */
  readonly error: Error | null;
  readonly onResolve: (verdict: Verdict, comment: string | null, done: () => void) => void;
  readonly onClose: () => void;
}) => {
  const { incidents: texts, cancel } = useMessages();
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = incidents.length > 0;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-labelledby="resolve-title" onClose={onClose}>
      <h2 id="resolve-title">{texts.resolveTitle(incidents.length)}</h2>
      <ResolveForm key={asked} draft={draftOf(incidents)} pending={pending} onResolve={onResolve}>
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          {cancel}
        </button>
      </ResolveForm>
      {error && <Faults error={error} />}
    </dialog>
  );
};
