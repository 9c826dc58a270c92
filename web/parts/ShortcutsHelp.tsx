import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useMessages } from '../messages/messages.js';
import { useShortcuts } from './shortcuts.js';

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
    ['x', shortcuts.select],
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
        <button className="button">{close}</button>
      </form>
    </dialog>
  );
};
