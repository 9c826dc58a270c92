import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { FaultText, WarningText } from '../../parts/Failure.js';
import { mediaOf } from './upload.js';
import { useEffect, useState } from 'react';

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
  }).data;

/** Inferred form of a file, before it is imported. */
export const Inspection = ({ file }: { readonly file: File }) => {
  const { imports: texts } = useMessages();
  const { number } = useFormats();
  const seen = useInspection(file);
  if (!seen) return null;
  const { sampling, columns, range, problems, warnings } = seen;
  return (
    <section className="card card-pad stack tight" role="status">
      <h2>{texts.understood}</h2>
      {sampling && <p dir="auto">{texts.sampling(sampling)}</p>}
      <ul className="row">
        {columns.map(column => (
          <li key={column.number} className="badge" dir="auto">
            {texts.column(String(column.name ?? column.number), texts.columnKinds[column.kind])}
          </li>
        ))}
        {range && (
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
