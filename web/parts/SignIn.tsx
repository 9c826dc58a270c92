import { useEffect, useId, useRef, useState } from 'react';
import { signIn, tokenIn, useSession } from '../api/session.js';
import type { OidcSettings } from '../api/oidc.js';
import icon from '../icon.svg';
import { useMessages } from '../messages/messages.js';

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
        <SignInForm />
      </div>
    );
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-again" onCancel={event => event.preventDefault()}>
      <h2 id="sign-in-again">{texts.again}</h2>
      <p>{texts.expired}</p>
      {refusal !== undefined && <p className="fault small">{texts.refused(refusal)}</p>}
      <SignInForm />
    </dialog>
  );
};

const SignInForm = () => {
  const { signIn: texts } = useMessages();
  const [text, setText] = useState('');
  const [invalid, setInvalid] = useState(false);
  const id = useId();
  const { status } = useSession();
  const [oidc, setOidc] = useState<OidcSettings | null>(null);
  const [failure, setFailure] = useState('');
  useEffect(() => void oidcModule().then(async ({ oidcSettings }) => setOidc(await oidcSettings())), []);
  useEffect(() => {
    if (!oidc) return undefined;
    let stop = (): void => {};
    void oidcModule().then(({ listenForOidc }) => (stop = listenForOidc()));
    return () => stop();
  }, [oidc]);
  if (oidc)
    return (
      <div className="stack">
        <button
          className="button primary"
          onClick={() =>
            void oidcModule()
              .then(({ startOidc }) => startOidc(oidc, status === 'expired'))
              .catch((error: unknown) => setFailure(String(error)))
          }
        >
          {texts.oidc}
        </button>
        {failure !== '' && (
          <p role="alert" className="fault">
            {failure}
          </p>
        )}
      </div>
    );
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
      <button className="button primary">{texts.button}</button>
    </form>
  );
};
