/** What was opened, and how to close it. */
export type Opened = {
  /** Notes how to close what has just been opened. */
  readonly add: (close: () => unknown) => void;
  /** Closes everything in the reverse order of its opening. */
  readonly close: () => Promise<void>;
};

/** An empty list of things opened. */
export const openedThings = (): Opened => {
  const closes: (() => unknown)[] = [];
  return {
    add: close => void closes.push(close),
    close: async () => {
      for (const close of closes.splice(0).reverse()) await close();
    },
  };
};
