import { useEffect, useRef, useState } from 'react';
import { sendFile, type Sent } from '../../api/upload.js';

/** The state of one upload. */
export type Upload<Body> = {
  readonly sent: Sent | undefined;
  readonly error: unknown;
  readonly result: Body | undefined;
  readonly isPending: boolean;
  readonly start: (path: string, file: File) => Promise<Body | undefined>;
  readonly stop: () => void;
  readonly reset: () => void;
};

export const mediaOf = (file: File): string =>
  file.name.toLowerCase().endsWith('.json') ? 'application/json' : 'text/csv';

/** Sends one file at a time. Leaving the screen stops it: nothing of an unfinished body is stored. */
export const useUpload = <Body>(): Upload<Body> => {
  const [sent, setSent] = useState<Sent>();
  const [error, setError] = useState<unknown>();
  const [result, setResult] = useState<Body>();
  const [isPending, setPending] = useState(false);
  const ending = useRef<AbortController>(undefined);
  useEffect(() => () => ending.current?.abort(), []);
  const reset = (): void => {
    setSent(undefined);
    setError(undefined);
    setResult(undefined);
  };
  return {
    sent,
    error,
    result,
    isPending,
    reset,
    stop: () => ending.current?.abort(),
    start: async (path, file) => {
      reset();
      setPending(true);
      const controller = new AbortController();
      ending.current = controller;
      try {
        const body = await sendFile<Body>(path, file, mediaOf(file), {
          onSent: setSent,
          signal: controller.signal,
        });
        setResult(body);
        return body;
      } catch (fault) {
        if (!controller.signal.aborted) setError(fault);
        return undefined;
      } finally {
        setPending(false);
      }
    },
  };
};
