import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { ProblemError } from '../../../client/index.js';
import type { Token } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { tokensQuery, useRevocation } from '../../api/tokens.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Author } from '../../parts/Author.js';
import { Failure, Faults } from '../../parts/Failure.js';
import { useToast } from '../../parts/Toasts.js';
import { NewToken } from './NewToken.js';
import { People } from './People.js';
import './tokens.css';

/** Whether the identity provider signs the tokens. */
const isOfProvider = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === 'tokensOfProvider';

/** Tokens for colleagues and devices: people with the scope issue and revoke them. */
export const Tokens = () => {
  const { tokens: texts } = useMessages();
  const isAllowed = useScope('token');
  const { data, error, refetch } = useQuery({ ...tokensQuery, enabled: isAllowed });
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts]);
  const hasProvider = isOfProvider(error);
  const failure = !data && !hasProvider ? error : null;
  return (
    <div className="tokens-page">
      <h1>{texts.title}</h1>
      <p className="lead">{!isAllowed ? texts.noScope : hasProvider ? texts.provider : texts.lead}</p>
      {failure && <Failure error={failure} reset={() => void refetch()} />}
      {isAllowed && !data && !error && <div className="skeleton skeleton-rows" />}
      {data && <NewToken />}
      {data && <TokenList tokens={data.tokens} usesSince={data.usesSince} />}
      {data && <People tokens={data.tokens} />}
    </div>
  );
};

const TokenList = ({
  tokens,
  usesSince,
}: {
  readonly tokens: readonly Token[];
  readonly usesSince: string;
}) => {
  const { tokens: texts } = useMessages();
  const id = useId();
  return (
    <section className="card card-pad stack tight">
      <h2 id={id}>{texts.list}</h2>
      {tokens.length === 0 && <p className="muted">{texts.none}</p>}
      {tokens.length > 0 && (
        <ul className="token-list" aria-labelledby={id}>
          {tokens.map(token => (
            <TokenRow key={token.jti} token={token} usesSince={usesSince} />
          ))}
        </ul>
      )}
    </section>
  );
};

const TokenRow = ({ token, usesSince }: { readonly token: Token; readonly usesSince: string }) => {
  const { tokens: texts } = useMessages();
  const formats = useFormats();
  const { name, scopes, issuedAt, expiresAt, lastUsedAt, by, byKind } = token;
  const id = useId();
  return (
    <li aria-labelledby={id}>
      <div className="token-text">
        <strong id={id} dir="auto">
          {name}
        </strong>
        <p>{texts.scopesOf(scopes.map(scope => texts.scopes[scope] ?? scope).join(', '))}</p>
        <p className="muted small">
          {texts.times(formats.instant(issuedAt), formats.instant(expiresAt))} ·{' '}
          <Author by={by} byKind={byKind} />
        </p>
        <p className="muted small">
          {lastUsedAt === null
            ? texts.notUsed(formats.instant(usesSince))
            : texts.used(formats.ago(lastUsedAt))}
        </p>
      </div>
      <Revocation token={token} />
    </li>
  );
};

/** Longest reason of a revocation. */
const reasonMax = 2000;

/** Revokes a token after a question for the reason. */
const Revocation = ({ token: { jti, name } }: { readonly token: Token }) => {
  const { tokens: texts, cancel } = useMessages();
  const tell = useToast();
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useRevocation(jti);
  const id = useId();
  return (
    <>
      <button
        className="button"
        aria-label={texts.revokeOf(name)}
        onClick={() => dialog.current?.showModal()}
      >
        {texts.revoke}
      </button>
      <dialog ref={dialog} aria-labelledby={`${id}-title`}>
        <form
          className="stack tight"
          onSubmit={event => {
            event.preventDefault();
            mutate(reason.trim(), { onSuccess: () => tell(texts.revoked) });
          }}
        >
          <h2 id={`${id}-title`} dir="auto">
            {texts.revokeQuestion(name)}
          </h2>
          <p className="muted">{texts.revokeHint}</p>
          <div className="field">
            <label htmlFor={`${id}-reason`}>{texts.reason}</label>
            <input
              id={`${id}-reason`}
              className="input"
              dir="auto"
              maxLength={reasonMax}
              required
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          </div>
          {error && <Faults error={error} />}
          <div className="row">
            <button className="button primary" disabled={isPending || reason.trim() === ''}>
              {texts.revoke}
            </button>
            <button type="button" className="button" onClick={() => dialog.current?.close()}>
              {cancel}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
};
