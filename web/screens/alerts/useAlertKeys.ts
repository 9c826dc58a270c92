import { useNavigate } from '@tanstack/react-router';
import { useScope } from '../../api/session.js';
import type { Alert } from '../../api/types.js';
import { useShortcuts } from '../../parts/shortcuts.js';

/** Keys of the list: j and k move, x selects, a and r act on the selection or the current alert, o opens it. */
export const useAlertKeys = (
  current: Alert | undefined,
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
    j: () => list.move(document.activeElement?.closest('[data-index]') ? 1 : 0),
    k: () => list.move(-1),
    x: () => current && list.toggle(current.id),
    ...(mayAct && { a: list.acknowledge, r: list.resolve }),
    Escape: list.clear,
    o: () => void (current && navigate({ to: '/alerts/$alertId', params: { alertId: current.id } })),
  });
};
