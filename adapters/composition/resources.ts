/** Open resources. */
export type Resources = {
  /** Registers the function that closes a resource. */
  readonly add: (close: () => unknown) => void;
  /** Closes all resources, the last opened first. */
  readonly close: () => Promise<void>;
};

/** An empty list of resources. */
export const openResources = (): Resources => {
  const closes: (() => unknown)[] = [];
  return {
    add: close => void closes.push(close),
    close: async () => {
      for (const close of closes.splice(0).reverse()) await close();
    },
  };
};
