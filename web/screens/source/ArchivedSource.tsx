import { Link } from '@tanstack/react-router';
import { useScope } from '../../api/session.js';
import { useArchive } from '../../api/sourceMutations.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Faults.js';

/** No source is at the address: there is none, or it is archived and can be restored. */
export const ArchivedSource = ({ sourceId }: { readonly sourceId: number }) => {
  const { settings: texts, backToOverview } = useMessages();
  const mayModel = useScope('model');
  const { mutate, isPending, error } = useArchive(sourceId);
  return (
    <div className="stack">
      <h1>{texts.noSource(sourceId)}</h1>
      {mayModel && (
        <div className="row">
          <p className="muted">{texts.mayBeArchived}</p>
          <button className="button" disabled={isPending} onClick={() => mutate('restore')}>
            {texts.restore}
          </button>
        </div>
      )}
      {error && <Faults error={error} />}
      <p>
        <Link to="/">{backToOverview}</Link>
      </p>
    </div>
  );
};
