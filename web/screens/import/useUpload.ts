import { useEffect, useRef, useState } from 'react';
import type { Progress, Upload as UploadRequest, UploadPath } from '../../../client/index.js';
import { api } from '../../api/client.js';

/** Parameters of the address; an inspection proposes those of the query as texts. */
type Parameters = {
  readonly path?: Readonly<Record<string, number>>;
  readonly query?: Readonly<Record<string, string>>;
};

/** The state of one upload. */
export type Upload<Body> = {
  readonly sent: Progress | undefined;
  readonly error: unknown;
  readonly result: Body | undefined;
  readonly isPending: boolean;
  readonly start: (path: UploadPath, file: File, params?: Parameters) => Promise<Body | undefined>;
  readonly stop: () => void;
  readonly reset: () => void;
};

export const mediaOf = (file: File): string =>
  file.name.toLowerCase().endsWith('.json') ? 'application/json' : 'text/csv';

/** Sends one file at a time. Leaving the screen stops it: nothing of an unfinished body is stored. */
export const useUpload = <Body>(): Upload<Body> => {
  const [sent, setSent] = useState<Progress>();
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
    start: async (path, file, params) => {
      reset();
      setPending(true);
      const controller = new AbortController();
      ending.current = controller;
      try {
        const body = (await api.upload(path, {
          file,
          contentType: mediaOf(file),
          params,
          onProgress: setSent,
          signal: controller.signal,
        } as unknown as UploadRequest<UploadPath>)) as Body;
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
