import { useEffect, useRef } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { useMessages } from '../messages/messages.js';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]') !== null;

/** Whether a key is one of the browser, such as Alt+Left. */
export const isOfBrowser = ({
  altKey,
  ctrlKey,
  metaKey,
}: Readonly<Record<'altKey' | 'ctrlKey' | 'metaKey', boolean>>): boolean => altKey || ctrlKey || metaKey;

/** Calls an action when its key is pressed outside of fields and dialogs. Only the first listener of a key acts. */
export const useShortcuts = (actions: Readonly<Record<string, () => void>>): void => {
  const current = useRef(actions);
  useEffect(() => {
    current.current = actions;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const action = current.current[event.key];
      if (!action || isOfBrowser(event) || isTyping(event.target)) return;
      if (event.defaultPrevented || document.querySelector('dialog[open], :popover-open')) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
};

/** The list of keys, opened with "?"; and the keys that work everywhere. */
export const ShortcutsHelp = () => {
  const { shortcuts, close } = useMessages();
  const dialog = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  useShortcuts({
    '?': () => dialog.current?.showModal(),
    '1': () => void navigate({ to: '/' }),
    '2': () => void navigate({ to: '/alerts' }),
  });
  const keys = [
    ['j', shortcuts.next],
    ['k', shortcuts.previous],
    ['Enter', shortcuts.open],
    ['o', shortcuts.open],
    ['x', shortcuts.select],
    ['Esc', shortcuts.clear],
    ['a', shortcuts.acknowledge],
    ['r', shortcuts.resolve],
    ['/', shortcuts.search],
    ['1', shortcuts.overview],
    ['2', shortcuts.alerts],
    ['?', shortcuts.help],
  ] as const;
  return (
    <dialog ref={dialog} aria-labelledby="shortcuts-title">
      <h2 id="shortcuts-title">{shortcuts.title}</h2>
      <dl className="shortcuts">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd className="kbd">{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" className="button">
          {close}
        </button>
      </form>
    </dialog>
  );
};
