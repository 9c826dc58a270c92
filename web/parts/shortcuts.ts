import { useEffect, useRef } from 'react';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Calls an action when its key is pressed outside of fields and dialogs. Only the first listener of a key acts. */
export const useShortcuts = (actions: Readonly<Record<string, () => void>>): void => {
  const current = useRef(actions);
  useEffect(() => {
    current.current = actions;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const action = current.current[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
};
