import { useState } from 'react';
import type { Alert } from '../../api/types.js';

/** The selected alerts of a list. */
export const useSelection = (alerts: readonly Alert[]) => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return {
    alerts: alerts.filter(({ id }) => ids.has(id)),
    has: (id: string): boolean => ids.has(id),
    clear: (): void => setIds(new Set()),
    toggle: (id: string): void =>
      setIds(before => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
  };
};
