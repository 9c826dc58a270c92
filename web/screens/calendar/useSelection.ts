import { useCallback, useState } from 'react';
import type { Range } from './YearGrid.js';

type Selection = { readonly anchor: string; readonly range: Range };

/** Selected dates: one, or those between it and another. */
export const useSelection = () => {
  const [selection, setSelection] = useState<Selection>();
  const choose = useCallback(
    (date: string, extend: boolean) =>
      setSelection(before => {
        const anchor = extend && before ? before.anchor : date;
        return { anchor, range: anchor < date ? { from: anchor, to: date } : { from: date, to: anchor } };
      }),
    [],
  );
  return {
    range: selection?.range,
    choose,
    setRange: (range: Range): void => setSelection({ anchor: range.from, range }),
    clear: (): void => setSelection(undefined),
  };
};
