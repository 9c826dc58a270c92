import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { queries } from '../../api/queries.js';
import type { Source } from '../../api/types.js';
import { useMessages } from '../../messages/messages.js';
import { DataPicture } from './DataPicture.js';
import { ImportSummary, type Summary } from './ImportSummary.js';

export type Created = { readonly source: Source; readonly import: Summary };

/** The source that was created, and the progress of its analysis. */
export const CreatedSource = ({ created }: { readonly created: Created }) => {
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
