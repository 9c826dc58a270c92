import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useMessages } from '../../messages/messages.js';

/** Form with a date: opens the screens of a source with the data that were known at the end of that date. */
export const AsKnown = ({ sourceId }: { readonly sourceId: number }) => {
  const { history: texts } = useMessages();
  const navigate = useNavigate();
  const [date, setDate] = useState('');
  const id = useId();
  return (
    <form
      className="row"
      onSubmit={event => {
        event.preventDefault();
        if (date === '') return;
        // The end of the day where the reader is.
        const end = new Date(`${date}T23:59:59.999`);
        const moment = (end.getTime() > Date.now() ? new Date() : end).toISOString();
        void navigate({ to: '/sources/$sourceId', params: { sourceId }, search: { asOf: moment } });
      }}
    >
      <label htmlFor={id}>{texts.asKnown}</label>
      <input
        id={id}
        type="date"
        className="input"
        value={date}
        onChange={({ target }) => setDate(target.value)}
      />
      <button className="button" disabled={date === ''}>
        {texts.show}
      </button>
    </form>
  );
};
