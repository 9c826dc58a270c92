import { useId, useRef, useState } from 'react';
import { useSession } from '../../api/session.js';
import { useNewToken, type NewToken as Body } from '../../api/tokens.js';
import { useMessages } from '../../messages/messages.js';
import { fieldsUnlessTyped } from '../../parts/drafts.js';
import { Faults } from '../../parts/Failure.js';
import { submits, TextField } from '../../parts/Field.js';
import { useToast } from '../../parts/Toasts.js';

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
export const NewToken = () => {
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
          <div className="token-fields">
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
            <button className="button primary" disabled={isPending || !body}>
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
    <fieldset className="token-scopes">
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
      <button className="button primary" onClick={() => void copy()}>
        {texts.copy}
      </button>
      <button className="button" onClick={onClose}>
        {close}
      </button>
    </div>
  );
};
