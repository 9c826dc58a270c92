import { useEffect, useRef, useState } from 'react';
import type { Progress, Upload as UploadRequest, UploadPath } from '../../../client/index.js';
import { api } from '../../api/client.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { WarningText } from '../../parts/Failure.js';

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
export const useUpload = <Body,>(): Upload<Body> => {
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

/** Progress of an upload; then a note that the service reads and checks. */
export const UploadProgress = ({
  sent,
  isPending,
  onStop,
}: {
  readonly sent: Progress | undefined;
  readonly isPending: boolean;
  readonly onStop: () => void;
}) => {
  const { imports: texts, cancel } = useMessages();
  const { percent } = useFormats();
  const share = sent?.total ? sent.bytes / sent.total : 0;
  return (
    <div role="status" className="upload">
      {isPending && (
        <>
          <span>{share < 1 ? texts.sending(percent(share)) : texts.reading}</span>
          <progress
            className="progress"
            aria-label={texts.progress}
            max={1}
            {...(share < 1 && { value: share })}
          />
          <button type="button" className="button" onClick={onStop}>
            {cancel}
          </button>
        </>
      )}
    </div>
  );
};

type Warning = { readonly code: string; readonly detail: string; readonly cure: string };

export type Summary = {
  readonly lines: number;
  readonly days: number;
  readonly missingSamples: number;
  readonly filledSamples: number;
  readonly duplicates: number;
  readonly warnings: readonly Warning[];
};

/** Summary of an imported file: its size, and irregularities that it has. */
export const ImportSummary = ({ summary }: { readonly summary: Summary }) => {
  const { imports: texts } = useMessages();
  const { number } = useFormats();
  const facts = [
    [texts.days, summary.days],
    [texts.lines, summary.lines],
    ...[
      [texts.missing, summary.missingSamples] as const,
      [texts.filled, summary.filledSamples] as const,
      [texts.duplicates, summary.duplicates] as const,
    ].filter(([, count]) => count > 0),
  ] as const;
  return (
    <>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{number(value)}</dd>
          </div>
        ))}
      </dl>
      {summary.warnings.length > 0 && (
        <ul className="stack tight">
          {summary.warnings.map(warning => (
            <li key={warning.code + warning.detail} className="notice">
              <WarningText warning={warning} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
};
