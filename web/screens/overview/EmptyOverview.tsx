import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useScope } from '../../api/session.js';
import { useMessages } from '../../messages/messages.js';
import { FileDrop } from '../../parts/FileDrop.js';
import { hereNow } from '../../parts/drafts.js';
import { useFailedWords } from '../../parts/Failure.js';
import { useToast } from '../../parts/Toasts.js';
import { api } from '../../api/client.js';

/** A line of a day, with an alert. */
const Picture = () => (
  <svg width="72" height="44" viewBox="0 0 72 44" aria-hidden fill="none">
    <path
      d="M2 34 C14 34 14 10 26 10 S38 34 50 34 L70 34"
      stroke="var(--band)"
      strokeWidth="3"
      strokeLinecap="round"
    />
    <path
      d="M2 34 C14 34 14 10 26 10 S38 34 50 34 L70 34"
      stroke="var(--band)"
      strokeWidth="18"
      opacity="0.14"
    />
    <circle cx="47" cy="12" r="5" fill="var(--alert-2)" />
  </svg>
);

/** Nothing is here yet: a file may be dropped, or the example tried. */
export const EmptyOverview = ({
  isTrying,
  onTry,
}: {
  /** Whether the example is being imported. */
  readonly isTrying: boolean;
  readonly onTry: (isTrying: boolean) => void;
}) => {
  const { overview: texts, imports } = useMessages();
  const failed = useFailedWords();
  const tell = useToast();
  const mayImport = useScope('import');
  const navigate = useNavigate();
  const client = useQueryClient();
  const tryExample = async (): Promise<void> => {
    onTry(true);
    const isHere = hereNow();
    try {
      const id = await importExample();
      await client.invalidateQueries();
      if (isHere()) await navigate({ to: '/sources/$sourceId', params: { sourceId: id } });
    } catch (error) {
      tell(failed(error instanceof Error ? error : new Error(String(error))));
    } finally {
      onTry(false);
    }
  };
  return (
    <div className="empty card">
      <Picture />
      <h2>{texts.emptyTitle}</h2>
      <p className="muted">{mayImport ? texts.emptyText : imports.mayNotImport}</p>
      {mayImport && (
        <>
          <FileDrop
            onFile={file => void navigate({ to: '/sources/new', state: { file } as never })}
            disabled={isTrying}
          />
          <div className="row">
            <button
              type="button"
              className="button primary"
              onClick={() => void tryExample()}
              disabled={isTrying}
            >
              {texts.example}
            </button>
            <Link to="/sources/new" className="button">
              {texts.newSource}
            </Link>
          </div>
        </>
      )}
      <p role="status" className="muted">
        {isTrying ? texts.exampleRunning : ''}
      </p>
    </div>
  );
};

/** A file of the service. */
const exampleFile = async (name: string): Promise<Blob> => {
  const response = await fetch(`/example/${name}.csv`);
  if (!response.ok) throw new Error('the example is missing here');
  return response.blob();
};

/** Imports the example year and the months after it. Returns the id of the source. */
const importExample = async (): Promise<number> => {
  const { source } = await api.upload('/v1/import-csv/create-source', {
    file: await exampleFile('reference'),
    params: { query: { name: 'Market hall' } },
  });
  await api.analysed(source.id);
  await api.upload('/v1/import-csv/{source_id}/days', {
    file: await exampleFile('recent'),
    params: { path: { source_id: source.id } },
  });
  return source.id;
};
