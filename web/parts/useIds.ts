import { useState } from 'react';

/** Some records of a list: the selected or the unfolded ones. */
export const useIds = <One extends { readonly id: string }>(all: readonly One[]) => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return {
    chosen: all.filter(({ id }) => ids.has(id)),
    has: (id: string): boolean => ids.has(id),
    clear: (): void => setIds(new Set()),
    remove: (gone: readonly string[]): void =>
      setIds(before => new Set([...before].filter(id => !gone.includes(id)))),
    toggle: (id: string): void =>
      setIds(before => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
  };
};
