import { useId, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useMessages } from '../messages/messages.js';

/** A screen on which panels are below each other. */
export const narrow = '(max-width: 62.5em)';
/** A phone. */
export const phone = '(max-width: 47.5em)';

/** Whether a media query matches now. */
export const useMediaQuery = (query: string): boolean =>
  useSyncExternalStore(
    listener => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );

/** The choices of a list; on a phone behind a button, so that the list begins on the first screen. */
export const MoreFilters = ({
  count,
  children,
}: {
  /** Number of the choices that are in force. */
  readonly count: number;
  readonly children: ReactNode;
}) => {
  const { moreFilters } = useMessages().incidents;
  const isPhone = useMediaQuery(phone);
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  return (
    <>
      {isPhone && (
        <button
          type="button"
          className="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
        >
          {moreFilters(count)}
        </button>
      )}
      <div id={id} className="more-filters" hidden={isPhone && !isOpen}>
        {children}
      </div>
    </>
  );
};
