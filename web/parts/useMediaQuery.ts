import { useSyncExternalStore } from 'react';

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
