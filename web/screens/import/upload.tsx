import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { AnswerOf, Progress, Upload as UploadRequest, UploadPath } from '../../../client/index.js';
import { api } from '../../api/client.js';
import { withKey } from '../../api/requestKeys.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure, WarningText, FaultText } from '../../parts/Failure.js';
import { SelectField } from '../../parts/Field.js';

/** Whether times of a file without an offset are in UTC or of the clock of its source; nothing for a source in UTC. */
export const ClockField = ({
  zone,
  value,
  onChange,
}: {
  readonly zone: string;
  /** `local`, or empty for UTC. */
  readonly value: string;
  readonly onChange: (clock: string) => void;
}) => {
  const { imports: texts } = useMessages();
  if (zone === 'UTC') return null;
  const options = [['', 'UTC'] as const, ['local', texts.localClock(zone)] as const];
  return <SelectField label={texts.clock} value={value} options={options} onChange={onChange} />;
};

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

/** Media type of a file by its name. */
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
        const body = (await withKey([['upload'], path, file, params], idempotencyKey =>
          api.upload(path, {
            file,
            contentType: mediaOf(file),
            params,
            onProgress: setSent,
            signal: controller.signal,
            idempotencyKey,
          } as unknown as UploadRequest<UploadPath>),
        )) as Body;
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
          {/* The service stores a file that it has received, also after a client has gone. */}
          {share < 1 && (
            <button type="button" className="button" onClick={onStop}>
              {cancel}
            </button>
          )}
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
  const { count: counted } = useFormats();
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
            <dd>{counted(value)}</dd>
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

/** Bytes that are looked at before an import. */
const headBytes = 1_000_000;
const lineFeed = 10;

/** The whole lines at the beginning of a file: the line that the limit cuts would be a fault. */
const headOf = async (file: File): Promise<Blob> => {
  if (file.size <= headBytes) return file;
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  const end = head.lastIndexOf(lineFeed) + 1;
  return new Blob([end === 0 ? head : head.subarray(0, end)]);
};

/** Form of a CSV file that the service infers from its beginning; nothing is stored. */
export const useInspection = (file: File | undefined) =>
  useQuery({
    queryKey: ['inspection', -1, file?.name, file?.size, file?.lastModified],
    queryFn: async ({ signal }) => {
      const head = file ? await headOf(file) : '';
      return api.post('/v1/import-csv/inspect', {
        body: '',
        bodySerializer: () => head,
        headers: { 'Content-Type': 'text/csv' },
        signal,
      });
    },
    enabled: file !== undefined && mediaOf(file) === 'text/csv',
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** A choice of the column of the values; nothing when there is one. */
export const ColumnField = ({
  seen,
  value,
  onChange,
}: {
  readonly seen: AnswerOf<'post', '/v1/import-csv/inspect'> | undefined;
  /** Number of the column, or empty for that of the inspection. */
  readonly value: string;
  readonly onChange: (column: string) => void;
}) => {
  const { imports: texts } = useMessages();
  const columns = seen?.columns.filter(({ kind }) => kind !== 'date') ?? [];
  if (columns.length < 2) return null;
  const options = columns.map(
    ({ name, number, kind }) => [kind === 'value' ? '' : String(number), String(name ?? number)] as const,
  );
  return <SelectField label={texts.valueColumn} value={value} options={options} onChange={onChange} />;
};

/** Inferred form of a file, before it is imported; `column` is the number of another column of values, or empty. */
export const Inspection = ({ file, column }: { readonly file: File; readonly column: string }) => {
  const { imports: texts } = useMessages();
  const { number } = useFormats();
  const { data: seen, error, refetch } = useInspection(file);
  if (error) return <Failure error={error} reset={() => void refetch()} />;
  if (!seen) return null;
  const { sampling, columns, range, problems, warnings } = seen;
  const kindOf = ({ number, kind }: (typeof columns)[number]): typeof kind =>
    column === '' || kind === 'date' ? kind : column === String(number) ? 'value' : 'other';
  return (
    <section className="card card-pad stack tight" role="status">
      <h2>{texts.understood}</h2>
      {sampling && <p dir="auto">{texts.sampling(sampling)}</p>}
      <ul className="row">
        {columns.map(one => (
          <li key={one.number} className="badge" dir="auto">
            {texts.column(String(one.name ?? one.number), texts.columnKinds[kindOf(one)])}
          </li>
        ))}
        {range && column === '' && (
          <li className="badge">
            {number(range.min)} – {number(range.max)}
          </li>
        )}
      </ul>
      {problems.map(fault => (
        <div key={fault.code + fault.detail} className="notice bad">
          <div>
            <FaultText fault={fault} />
          </div>
        </div>
      ))}
      {warnings.map(warning => (
        <div key={warning.code + warning.detail} className="notice">
          <WarningText warning={warning} />
        </div>
      ))}
    </section>
  );
};

const shownBytes = 2000;
const linesShown = 6;

/** The beginning of a chosen file, as it is. */
export const FirstLines = ({ file }: { readonly file: File }) => {
  const { imports: texts } = useMessages();
  const [lines, setLines] = useState<readonly string[]>([]);
  useEffect(() => {
    let current = true;
    void file
      .slice(0, shownBytes)
      .text()
      .then(text => current && setLines(text.split(/\r?\n/).slice(0, linesShown)));
    return () => {
      current = false;
    };
  }, [file]);
  return (
    <figure className="first-lines">
      <figcaption className="label" dir="auto">
        {texts.firstLines(file.name)}
      </figcaption>
      <pre tabIndex={0} dir="auto">
        {lines.join('\n')}
      </pre>
    </figure>
  );
};
