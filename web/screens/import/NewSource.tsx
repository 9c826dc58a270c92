import { useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Faults.js';
import { FileDrop } from '../../parts/forms/FileDrop.js';
import { CreatedSource, type Created } from './CreatedSource.js';
import { FirstLines } from './FirstLines.js';
import { Inspection, useInspection } from './Inspection.js';
import { SourceChoices } from './SourceChoices.js';
import { nameOf, SourceName } from './SourceName.js';
import { UploadProgress } from './UploadProgress.js';
import { mediaOf, useUpload, type Upload } from './useUpload.js';
import './import.css';

/** A new source from its reference year. */
export const NewSource = () => {
  const { imports: texts } = useMessages();
  const upload = useUpload<Created>();
  useEffect(() => void (document.title = `${texts.newTitle} · Daybook`), [texts.newTitle]);
  return (
    <div className="import-page">
      <h1>{texts.newTitle}</h1>
      <p className="lead">{texts.newLead}</p>
      {upload.result ? <CreatedSource created={upload.result} /> : <NewSourceForm upload={upload} />}
    </div>
  );
};

const NewSourceForm = ({ upload }: { readonly upload: Upload<Created> }) => {
  const { imports: texts } = useMessages();
  const client = useQueryClient();
  const dropped = useRouterState({ select: ({ location }) => (location.state as { file?: File }).file });
  const [file, setFile] = useState(dropped instanceof File ? dropped : undefined);
  const [name, setName] = useState(file ? nameOf(file) : '');
  const [choices, setChoices] = useState<Readonly<Record<string, string>>>({});
  const inspection = useInspection(file);
  const isJson = file !== undefined && mediaOf(file) === 'application/json';
  const choose = (next: File): void => {
    setFile(next);
    upload.reset();
    if (name === '') setName(nameOf(next));
  };
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
  const isReady = file !== undefined && !upload.isPending && (isJson || name.trim() !== '');
  return (
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
          <SourceName value={name} onChange={setName} />
          <SourceChoices
            calendar={choices['calendar'] ?? ''}
            onChange={(key, value) => setChoices(all => ({ ...all, [key]: value }))}
          />
        </>
      )}
      <div className="row">
        <button className="button primary" disabled={!isReady}>
          {texts.create}
        </button>
      </div>
      <UploadProgress sent={upload.sent} isPending={upload.isPending} onStop={upload.stop} />
      {upload.error !== undefined && <Faults error={upload.error} />}
    </form>
  );
};
