import { Link } from '@tanstack/react-router';
import { useScope } from '../../api/session.js';
import type { Source } from '../../api/types.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';

/** Says that a source has changed for good, and leads to where it is learned again; nothing without that reason. */
export const RelearnHint = ({
  source: { id, relearnProposed: proposed },
}: {
  readonly source: Pick<Source, 'id' | 'relearnProposed'>;
}) => {
  const { relearn: texts } = useMessages();
  const { dayYear } = useFormats();
  const mayModel = useScope('model');
  if (!mayModel || !proposed || proposed.reason === 'yearOfData') return null;
  return (
    <section className="card card-pad stack tight no-print">
      <h2>{texts.title}</h2>
      <p>{texts.reasons[proposed.reason](dayYear(proposed.since))}</p>
      <div>
        <Link to="/sources/$sourceId/settings" params={{ sourceId: id }} className="button">
          {texts.link}
        </Link>
      </div>
    </section>
  );
};
