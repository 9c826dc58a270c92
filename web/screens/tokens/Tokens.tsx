import { useQuery } from '@tanstack/react-query';
import { useId, useRef, useState, useEffect } from 'react';
import { ProblemError } from '../../../client/index.js';
import type { Token } from '../../api/client.js';
import { useSession, useScope } from '../../api/session.js';
import { useNewToken, type NewToken as Body, useRevocation } from '../../api/mutations.js';
import { queries } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Author } from '../../parts/Author.js';
import { Faults, Failure } from '../../parts/Failure.js';
import { fieldsUnlessTyped, whenRemoved } from '../../parts/drafts.js';
import { submits, TextField } from '../../parts/Field.js';
import { useToast } from '../../parts/Toasts.js';
import { People } from './People.js';
import '../servicePages.css';

type Scopes = Body['scopes'];
type Typed = { readonly name: string; readonly scopes: readonly string[]; readonly days: string };
type Made = { readonly name: string; readonly token: string };

const nothing: Typed = { name: '', scopes: ['read'], days: '90' };
const nameMax = 200;
const daysMax = 400;

/** The body of the request; undefined while something is missing. */
const bodyOf = ({ name, scopes, days }: Typed): Body | undefined => {
  const count = Number(days);
  if (name.trim() === '' || scopes.length === 0) return undefined;
  if (!Number.isInteger(count) || count < 1 || count > daysMax) return undefined;
  return { name: name.trim(), scopes: scopes as Scopes, expires: `P${count}D` };
};

/** Issues a token, and shows it once. */
const NewToken = () => {
  const { tokens: texts } = useMessages();
  const [made, setMade] = useState<Made>();
  const [typed, setTyped] = useState(nothing);
  const { mutate, isPending, error } = useNewToken();
  const id = useId();
  const body = bodyOf(typed);
  return (
    <>
      {made && <Shown made={made} onClose={() => setMade(undefined)} />}
      <section className="card card-pad" aria-labelledby={id}>
        <form
          className="stack tight"
          onSubmit={submits(() => {
            if (!body) return;
            setMade(undefined);
            mutate(body, {
              onSuccess: ({ name, token }) => {
                setTyped(fieldsUnlessTyped(typed, nothing));
                setMade({ name, token });
              },
            });
          })}
        >
          <h2 id={id}>{texts.create}</h2>
          <div className="short-fields">
            <TextField
              label={texts.name}
              hint={texts.nameHint}
              dir="auto"
              required
              maxLength={nameMax}
              autoComplete="off"
              value={typed.name}
              onChange={name => setTyped({ ...typed, name })}
            />
            <TextField
              label={texts.days}
              type="number"
              required
              min={1}
              max={daysMax}
              value={typed.days}
              onChange={days => setTyped({ ...typed, days })}
            />
          </div>
          <ScopeChoices chosen={typed.scopes} onChange={scopes => setTyped({ ...typed, scopes })} />
          {error && <Faults error={error} />}
          <div>
            <button type="submit" className="button primary" disabled={isPending || !body}>
              {texts.make}
            </button>
          </div>
        </form>
      </section>
    </>
  );
};

/** The scopes of the own token: another one has at most these. */
const ScopeChoices = ({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (scopes: readonly string[]) => void;
}) => {
  const { tokens: texts } = useMessages();
  const { scopes: own } = useSession();
  return (
    <fieldset className="ticks">
      <legend>{texts.scopesLabel}</legend>
      {Object.keys(texts.scopes)
        .filter(scope => own.has(scope))
        .map(scope => (
          <label key={scope} className="row">
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, scope] : chosen.filter(other => other !== scope))
              }
            />
            {texts.scopes[scope]}
          </label>
        ))}
    </fieldset>
  );
};

/** A new token: no other answer has it. */
const Shown = ({ made: { name, token }, onClose }: { readonly made: Made; readonly onClose: () => void }) => {
  const { tokens: texts, close } = useMessages();
  const tell = useToast();
  const input = useRef<HTMLInputElement>(null);
  const copy = async (): Promise<void> => {
    input.current?.select();
    try {
      // Browsers have no clipboard on a page of plain http from another machine.
      await navigator.clipboard.writeText(token);
      tell(texts.copied);
    } catch {
      tell(texts.notCopied);
    }
  };
  return (
    <div className="notice good" role="status">
      <span dir="auto">{texts.shown(name)}</span>
      <input
        ref={input}
        className="input mono token-shown"
        aria-label={texts.text}
        readOnly
        value={token}
        onFocus={({ target }) => target.select()}
      />
      <button type="button" className="button primary" onClick={() => void copy()}>
        {texts.copy}
      </button>
      <button type="button" className="button" onClick={onClose}>
        {close}
      </button>
    </div>
  );
};

/** Whether the identity provider signs the tokens. */
const isOfProvider = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === 'tokensOfProvider';

/** Tokens for colleagues and devices: people with the scope issue and revoke them. */
export const Tokens = () => {
  const { tokens: texts } = useMessages();
  const isAllowed = useScope('token');
  const { data, error, refetch } = useQuery({ ...queries.tokens(), enabled: isAllowed });
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts]);
  const hasProvider = isOfProvider(error);
  const failure = !data && !hasProvider ? error : null;
  return (
    <div className="stack tokens-page">
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
        <ul className="records" aria-labelledby={id}>
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
      <div>
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
  const { mutateAsync, isPending, error, reset } = useRevocation(jti);
  const id = useId();
  return (
    <>
      <button
        type="button"
        className="button"
        aria-label={texts.revokeOf(name)}
        onClick={() => {
          if (error) reset();
          dialog.current?.showModal();
        }}
      >
        {texts.revoke}
      </button>
      <dialog ref={dialog} aria-labelledby={`${id}-title`}>
        <form
          className="stack tight"
          onSubmit={submits(() =>
            whenRemoved(
              mutateAsync(reason.trim()),
              () => dialog.current?.close(),
              () => tell(texts.revoked),
            ),
          )}
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
            <button type="submit" className="button primary" disabled={isPending || reason.trim() === ''}>
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
