import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { queries } from '../../api/queries.js';
import type { Source } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Faults.js';
import { FileDrop } from '../../parts/FileDrop.js';
import { DataPicture } from './DataPicture.js';
import { FirstLines } from './FirstLines.js';
import { Inspection, useInspection } from './Inspection.js';
import { ImportSummary, type Summary } from './ImportSummary.js';
import { UploadProgress } from './UploadProgress.js';
import { mediaOf, useUpload } from './useUpload.js';
import './import.css';

type Created = { readonly source: Source; readonly import: Summary };

const sizes = [4, 8, 12, 24, 48, 72, 144];
const nameMax = 100;

/** A new source from its reference year. */
export const NewSource = () => {
  const { imports: texts } = useMessages();
  const client = useQueryClient();
  const dropped = useRouterState({ select: ({ location }) => (location.state as { file?: File }).file });
  const [file, setFile] = useState(dropped instanceof File ? dropped : undefined);
  const [name, setName] = useState(file ? nameOf(file) : '');
  const [choices, setChoices] = useState<Readonly<Record<string, string>>>({});
  const upload = useUpload<Created>();
  const inspection = useInspection(file);
  const id = useId();
  useEffect(() => void (document.title = `${texts.newTitle} · Daybook`), [texts.newTitle]);
  const choose = (next: File): void => {
    setFile(next);
    upload.reset();
    if (name === '') setName(nameOf(next));
  };
  const isJson = file !== undefined && mediaOf(file) === 'application/json';
  const create = async (): Promise<void> => {
    if (!file) return;
    // The parameters that the inspection proposes make other forms of CSV readable.
    const query: Record<string, string> = { ...inspection?.parameters, name: name.trim() };
    for (const [key, value] of Object.entries(choices)) if (value.trim() !== '') query[key] = value.trim();
    const sent = isJson
      ? upload.start('/v1/import/create-source', file)
      : upload.start('/v1/import-csv/create-source', file, { query });
    if (await sent) void client.invalidateQueries({ queryKey: ['overview'] });
  };
  const set = (key: string) => (value: string) => setChoices(all => ({ ...all, [key]: value }));
  return (
    <div className="import-page">
      <h1>{texts.newTitle}</h1>
      <p className="lead">{texts.newLead}</p>
      {upload.result ? (
        <CreatedSource created={upload.result} />
      ) : (
        <form
          className="stack"
          onSubmit={event => {
            event.preventDefault();
            void create();
          }}
        >
          <FileDrop onFile={choose} disabled={upload.isPending} />
          {file && <FirstLines file={file} />}
          {file && <Inspection file={file} />}
          {!isJson && (
            <>
              <div className="field">
                <label htmlFor={`${id}-name`}>{texts.name}</label>
                <input
                  id={`${id}-name`}
                  className="input"
                  required
                  maxLength={nameMax}
                  dir="auto"
                  value={name}
                  onChange={({ target }) => setName(target.value)}
                />
              </div>
              <div className="choices">
                <Choice
                  label={texts.activitySize}
                  values={[
                    ['', texts.automatic],
                    ...sizes.map(size => [String(size), texts.slices(size)] as const),
                  ]}
                  onChange={set('activitySize')}
                />
                <Choice
                  label={texts.interpolation}
                  values={[
                    ['', texts.zero],
                    ['linear', texts.linear],
                  ]}
                  onChange={set('interpolationMethod')}
                />
                <Choice
                  label={texts.aggregation}
                  values={[
                    ['', texts.mean],
                    ['sum', texts.sum],
                  ]}
                  onChange={set('aggregation')}
                />
                <div className="field">
                  <label htmlFor={`${id}-calendar`}>{texts.calendar}</label>
                  <input
                    id={`${id}-calendar`}
                    className="input"
                    placeholder={texts.inferred}
                    maxLength={6}
                    value={choices['calendar'] ?? ''}
                    onChange={({ target }) => set('calendar')(target.value.toUpperCase())}
                  />
                </div>
              </div>
            </>
          )}
          <div className="row">
            <button
              className="button primary"
              disabled={!file || upload.isPending || (!isJson && name.trim() === '')}
            >
              {texts.create}
            </button>
          </div>
          <UploadProgress sent={upload.sent} isPending={upload.isPending} onStop={upload.stop} />
          {upload.error !== undefined && <Faults error={upload.error} />}
        </form>
      )}
    </div>
  );
};

/** Name of a source from the name of its file. */
const nameOf = (file: File): string =>
  file.name
    .replace(/\.[^.]*$/, '')
    .replace(/[._-]?reference$/i, '')
    .replaceAll(/[_.]+/g, ' ')
    .slice(0, nameMax);

const Choice = ({
  label,
  values,
  onChange,
}: {
  readonly label: string;
  readonly values: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}) => {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="select" onChange={({ target }) => onChange(target.value)}>
        {values.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};

/** The source that was created, and the progress of its analysis. */
const CreatedSource = ({ created }: { readonly created: Created }) => {
  const { imports: texts } = useMessages();
  const { id, referenceYear } = created.source;
  const { data: source = created.source } = useQuery({
    ...queries.source(id),
    refetchInterval: query =>
      query.state.data?.analysis.status === 'completed' || query.state.data?.analysis.status === 'failed'
        ? false
        : 1000,
  });
  const { status } = source.analysis;
  return (
    <section className="card card-pad stack">
      <h2 dir="auto">{texts.created(source.name)}</h2>
      <ImportSummary summary={created.import} />
      <DataPicture sourceId={id} year={referenceYear} />
      <div role="status" className="upload">
        {status === 'completed' ? (
          <strong>{texts.learned(source.counts.models)}</strong>
        ) : status === 'failed' ? (
          <span className="fault">{source.analysis.detail}</span>
        ) : (
          <>
            <span>{texts.learning}</span>
            <progress className="progress" aria-label={texts.learning} />
          </>
        )}
      </div>
      {status === 'completed' && (
        <p className="row">
          <Link to="/sources/$sourceId/import" params={{ sourceId: id }} className="button primary">
            {texts.importRecent}
          </Link>
          <Link to="/sources/$sourceId/models" params={{ sourceId: id }} className="button">
            {texts.seeModels}
          </Link>
        </p>
      )}
    </section>
  );
};
