import { useQuery } from '@tanstack/react-query';
import { useContext, useEffect, useId, useState } from 'react';
import {
  receiversQuery,
  useNewReceiver,
  creationOf,
  kinds,
  newTyped,
  type Kind,
  type MessageType,
  type Typed,
} from './receiverForms.js';
import { useScope } from '../../api/session.js';
import { MessagesContext, useMessages } from '../../messages/messages.js';
import { Failure, Faults } from '../../parts/Failure.js';
import { FormButtons, SelectField, submits } from '../../parts/Field.js';
import { useToast } from '../../parts/Toasts.js';
import { ReceiverCard } from './ReceiverCard.js';
import { ReceiverFields } from './ReceiverForm.js';
import '../servicePages.css';

/** Receivers of messages: people make, try, change and delete them. */
export const Receivers = () => {
  const { receivers: texts } = useMessages();
  const isAllowed = useScope('webhook');
  const { data, error } = useQuery({ ...receiversQuery, enabled: isAllowed });
  const [isNew, setNew] = useState(false);
  /** Signing secret of the receiver that was made last: it is answered once. */
  const [secret, setSecret] = useState('');
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts]);
  return (
    <div className="stack receivers-page">
      <div className="page-head">
        <h1>{texts.title}</h1>
        {isAllowed && !isNew && (
          <button
            type="button"
            className="button primary"
            onClick={() => {
              setSecret('');
              setNew(true);
            }}
          >
            {texts.create}
          </button>
        )}
      </div>
      <p className="lead">{isAllowed ? texts.lead : texts.noScope}</p>
      {isNew && (
        <NewReceiver
          onDone={made => {
            setSecret(made);
            setNew(false);
          }}
        />
      )}
      {secret !== '' && <Secret secret={secret} onClose={() => setSecret('')} />}
      {isAllowed && !data && (error ? <Failure error={error} /> : <div className="skeleton skeleton-rows" />)}
      {data?.webhooks.length === 0 && !isNew && <p className="muted">{texts.none}</p>}
      {data && data.webhooks.length > 0 && (
        <ul className="stack receivers" aria-label={texts.title}>
          {data.webhooks.map(receiver => (
            <ReceiverCard key={receiver.id} receiver={receiver} />
          ))}
        </ul>
      )}
    </div>
  );
};

/** The secret of a new receiver of CloudEvents, once. */
const Secret = ({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) => {
  const { receivers: texts, close } = useMessages();
  return (
    <div className="notice good" role="status">
      <span>{texts.secret}</span>
      <code className="mono receiver-address">{secret}</code>
      <button type="button" className="button" onClick={onClose}>
        {close}
      </button>
    </div>
  );
};

/** A form that asks for the kind first, and then for the fields of that kind. */
const NewReceiver = ({ onDone }: { readonly onDone: (secret: string) => void }) => {
  const { receivers: texts } = useMessages();
  const { language } = useContext(MessagesContext);
  const tell = useToast();
  const id = useId();
  const [typed, setTyped] = useState<Typed>();
  const { mutate, isPending, error, reset } = useNewReceiver();
  const choose = (kind: Kind): void => {
    reset();
    setTyped(newTyped(kind, Object.keys(texts.events) as MessageType[], language));
  };
  return (
    <form
      className="card card-pad stack tight"
      aria-labelledby={`${id}-title`}
      onSubmit={submits(() => {
        if (!typed) return;
        mutate(creationOf(typed), {
          onSuccess: ({ secret }) => {
            tell(texts.created);
            onDone(typed.kind === 'cloudevents' ? secret : '');
          },
        });
      })}
    >
      <h2 id={`${id}-title`}>{texts.create}</h2>
      <SelectField
        label={texts.kind}
        value={typed?.kind ?? ''}
        options={kinds.map(kind => [kind, texts.kinds[kind]])}
        onChange={next => choose(next as Kind)}
      >
        <option value="" disabled hidden>
          {texts.choose}
        </option>
      </SelectField>
      {typed && (
        <ReceiverFields
          key={typed.kind}
          typed={typed}
          before={undefined}
          onChange={next => setTyped(now => now && { ...now, ...next })}
        />
      )}
      {error && <Faults error={error} />}
      <FormButtons
        text={texts.make}
        isReady={!isPending && typed !== undefined && typed.events.length > 0}
        onCancel={() => onDone('')}
      />
    </form>
  );
};
