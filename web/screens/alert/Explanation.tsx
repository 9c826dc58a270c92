import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../../api/queries.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';

/** The whole chain of an alert, read only when it is asked for. */
export const Explanation = ({ id }: { readonly id: string }) => {
  const { alert: texts, loading } = useMessages();
  const [open, setOpen] = useState(false);
  const { data, error } = useQuery({ ...queries.explanation(id), enabled: open });
  return (
    <details className="card card-pad no-print" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.explanation}</summary>
      <p className="hint">{texts.explanationHint}</p>
      {error ? (
        <Failure error={error} />
      ) : (
        <pre className="json" tabIndex={0}>
          {data ? JSON.stringify(data, null, 2) : loading}
        </pre>
      )}
    </details>
  );
};
