import { useQuery } from '@tanstack/react-query';
import { useId, useState, useEffect, useRef } from 'react';
import { ProblemError } from '../../client/index.js';
import { tokenIn } from '../api/early.js';
import { useFirstToken } from '../api/mutations.js';
import {
  isFirstStart,
  signIn,
  useSession,
  setSignInFailure,
  useSignInFailure,
  type OidcSettings,
  oidcSettings,
  pauseMs,
} from '../api/session.js';
import icon from '../icon.svg';
import type { Messages } from '../messages/en.js';
import { useMessages } from '../messages/messages.js';
import { Faults } from './Failure.js';
import { submits, TextField } from './Field.js';

const nameMax = 200;
const codeMax = 40;

/** A refusal in the reader's language; undefined for one of another kind. */
const textOf = (error: Error, texts: Messages['firstStart']): string | undefined => {
  if (!(error instanceof ProblemError)) return undefined;
  if (error.code === 'firstStartOver') return texts.over;
  return error.code === 'firstCodeWrong' ? texts.wrongCode(/\d+$/.exec(error.message)?.[0] ?? '') : undefined;
};

/** The first sign-in to a service that was never used, with the code of its start. */
const FirstStart = () => {
  const { firstStart: texts } = useMessages();
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const { mutate, isPending, error } = useFirstToken();
  const id = useId();
  return (
    <form
      className="stack"
      aria-labelledby={`${id}-title`}
      onSubmit={submits(() =>
        mutate({ code: code.trim(), name: name.trim() }, { onSuccess: ({ token }) => void signIn(token) }),
      )}
    >
      <h2 id={`${id}-title`}>{texts.title}</h2>
      <p className="muted">{texts.explain}</p>
      <TextField
        label={texts.code}
        className="input mono"
        required
        maxLength={codeMax}
        autoComplete="one-time-code"
        spellCheck={false}
        value={code}
        onChange={setCode}
      />
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        dir="auto"
        required
        maxLength={nameMax}
        autoComplete="username"
        value={name}
        onChange={setName}
      />
      {error && <Faults error={error} text={textOf(error, texts)} />}
      <button
        type="submit"
        className="button primary"
        disabled={isPending || code.trim() === '' || name.trim() === ''}
      >
        {texts.button}
      </button>
    </form>
  );
};

/** Loaded when a sign-in is needed. */
const oidcModule = () => import('../api/oidc.js');

/** Sign-in as a page, or as a dialog over the screen after a refused token, so that typed text is kept. */
export const SignIn = () => {
  const { signIn: texts } = useMessages();
  const { status, refusal } = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  if (status === 'signedOut')
    return (
      <div className="sign-in card">
        <img src={icon} alt="" />
        <h1>{texts.title}</h1>
        <FirstOrLater />
      </div>
    );
  return (
    <dialog
      ref={dialog}
      aria-labelledby="sign-in-again"
      onCancel={event => event.preventDefault()}
      // A second Escape closes it without asking.
      onClose={() => dialog.current?.showModal()}
    >
      <h2 id="sign-in-again">{texts.again}</h2>
      <p>{texts.expired}</p>
      {refusal !== undefined && <p className="fault small">{texts.refused(refusal)}</p>}
      <SignInForm />
    </dialog>
  );
};

/** Signing in to a service that may never have been used. */
const FirstOrLater = () => {
  const { firstStart: texts } = useMessages();
  const [isFirst, setFirst] = useState(false);
  useEffect(() => void isFirstStart().then(setFirst, () => {}), []);
  if (!isFirst) return <SignInForm />;
  return (
    <>
      <FirstStart />
      <h2>{texts.otherwise}</h2>
      <SignInForm isSecond />
    </>
  );
};

/** `isSecond`: below another form, whose button is the main one. */
const SignInForm = ({ isSecond = false }: { readonly isSecond?: boolean }) => {
  const { loading, unreachable } = useMessages();
  const { data: oidc, failureCount } = useQuery({
    ...{ queryKey: ['oidcSettings', -1], queryFn: oidcSettings, staleTime: Number.POSITIVE_INFINITY },
    ...{ retry: true, retryDelay: pauseMs },
  });
  if (oidc === undefined) return <p role="status">{failureCount > 0 ? unreachable : loading}</p>;
  return oidc ? <ProviderButton oidc={oidc} /> : <TokenForm isSecond={isSecond} />;
};

/** Leads to the identity provider, and says why that failed. */
const ProviderButton = ({ oidc }: { readonly oidc: OidcSettings }) => {
  const { signIn: texts } = useMessages();
  const { status } = useSession();
  const failure = useSignInFailure();
  const start = (popup: boolean): void =>
    void oidcModule()
      .then(({ startOidc }) => startOidc(oidc, popup))
      .catch((error: unknown) => setSignInFailure({ issuer: oidc.issuer, reason: String(error) }));
  useEffect(() => {
    let stop = (): void => {};
    void oidcModule().then(
      ({ listenForOidc }) => (stop = listenForOidc()),
      // The button says why.
      () => undefined,
    );
    return () => stop();
  }, []);
  return (
    <div className="stack">
      <button type="button" className="button primary" onClick={() => start(status === 'expired')}>
        {texts.oidc}
      </button>
      {failure && (
        <p role="alert" className="fault">
          {failure.isBlocked
            ? texts.blocked
            : failure.reason === undefined
              ? texts.unreachable(failure.issuer)
              : texts.failed(failure.issuer, failure.reason)}
        </p>
      )}
      {failure?.isBlocked && (
        <button type="button" className="button" onClick={() => start(false)}>
          {texts.leave}
        </button>
      )}
    </div>
  );
};

const TokenForm = ({ isSecond }: { readonly isSecond: boolean }) => {
  const { signIn: texts } = useMessages();
  const [text, setText] = useState('');
  const [invalid, setInvalid] = useState(false);
  const id = useId();
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault();
        const token = tokenIn(text);
        if (token === undefined) setInvalid(true);
        else void signIn(token);
      }}
    >
      <p className="muted">{texts.explain}</p>
      <div className="field">
        <label htmlFor={id}>{texts.token}</label>
        <input
          id={id}
          className="input"
          autoComplete="off"
          spellCheck={false}
          value={text}
          aria-invalid={invalid}
          aria-describedby={invalid ? `${id}-fault` : undefined}
          onChange={({ target }) => {
            setText(target.value);
            setInvalid(false);
          }}
        />
        {invalid && (
          <p id={`${id}-fault`} className="fault small" role="alert">
            {texts.invalid}
          </p>
        )}
      </div>
      <button type="submit" className={isSecond ? 'button' : 'button primary'}>
        {texts.button}
      </button>
    </form>
  );
};

/** The page of a person who may not read: which claim was looked at, what it had, and what to set. */
export const NoScope = () => {
  const { noScope: texts } = useMessages();
  const { subject, tenant, scopes, scopeClaims, prefix, foundInstead = [] } = useSession();
  const found = scopes.size > 0 ? [...scopes] : foundInstead;
  return (
    <section className="card card-pad stack" role="alert">
      <h1>{texts.title}</h1>
      <p dir="auto">{texts.who(subject, tenant)}</p>
      <dl className="people">
        <div>
          <dt className="muted small">{texts.claims}</dt>
          <dd className="mono">{scopeClaims.join(', ')}</dd>
        </div>
        <div>
          <dt className="muted small">{texts.found}</dt>
          <dd className="mono">{found.length > 0 ? found.join(', ') : texts.nothing}</dd>
        </div>
        <div>
          <dt className="muted small">{texts.expected}</dt>
          <dd className="mono">{`${prefix}read`}</dd>
        </div>
      </dl>
      <p>{texts.advice}</p>
      {/* Served as files, so the router does not know it. */}
      <a href="/docs/configuration#identity-providers">{texts.more}</a>
    </section>
  );
};
