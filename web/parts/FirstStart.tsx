import { useId, useState } from 'react';
import { signIn } from '../api/session.js';
import { useFirstToken } from '../api/tokens.js';
import { ProblemError } from '../../client/index.js';
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
export const FirstStart = () => {
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
      <button className="button primary" disabled={isPending || code.trim() === '' || name.trim() === ''}>
        {texts.button}
      </button>
    </form>
  );
};
