import { useEffect, useId, useRef } from 'react';
import {
  answerOffer,
  isSamePerson,
  useOffer,
  useSession,
  type Identity,
  type Offer,
} from '../api/session.js';
import { useMessages } from '../messages/messages.js';

/** A dialog about a link with a token that was opened during a session: anybody may have sent it. */
export const LinkQuestion = () => {
  const offer = useOffer();
  return offer && <Question offer={offer} />;
};

const Question = ({ offer }: { readonly offer: Offer }) => {
  const { link: texts, close } = useMessages();
  const session = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const isOther = offer.kind === 'other';
  const isSame = isOther && isSamePerson(session, offer.identity);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault();
        answerOffer(false);
      }}
    >
      <h2 id={id}>{isOther ? texts.title : texts.unused}</h2>
      {isOther ? (
        <>
          <p>{isSame ? texts.otherScopes : texts.explain}</p>
          <dl className="people">
            <Person role={texts.now} {...session} scopes={isSame ? [...session.scopes] : []} />
            <Person role={texts.then} {...offer.identity} scopes={isSame ? offer.identity.scopes : []} />
          </dl>
        </>
      ) : (
        <p>{offer.kind === 'refused' ? texts.refused(offer.refusal) : texts.provider}</p>
      )}
      <div className="row">
        <button type="button" className="button primary" autoFocus onClick={() => answerOffer(false)}>
          {isOther ? texts.stay : close}
        </button>
        {isOther && (
          <button type="button" className="button" onClick={() => answerOffer(true)}>
            {texts.change}
          </button>
        )}
      </div>
    </dialog>
  );
};

type PersonProps = Pick<Identity, 'subject' | 'tenant' | 'scopes'> & { readonly role: string };

const Person = ({ role, subject, tenant, scopes }: PersonProps) => {
  const { link: texts } = useMessages();
  return (
    <div>
      <dt className="muted small">{role}</dt>
      <dd>
        <strong dir="auto">{subject}</strong>
        <span className="muted">{texts.tenant(tenant)}</span>
        {scopes.length > 0 && <span className="muted">{scopes.join(' ')}</span>}
      </dd>
    </div>
  );
};
