import { useId, type ComponentProps, type FormEvent, type ReactNode } from 'react';
import type { Language } from '../messages/language.js';
import { useMessages } from '../messages/messages.js';
import { Select } from './Select.js';

/** The handler of a form whose request is sent by a script. */
export const submits = (run: () => void) => (event: FormEvent) => {
  event.preventDefault();
  run();
};

type Labelled = { readonly label: string; readonly hint?: string | undefined };

/** Makes the input of a field with its id and that of the hint. */
type Input = (id: string, hintId: string | undefined) => ReactNode;

/** Label, input and hint. */
const Parts = ({ label, hint, children }: Labelled & { readonly children: Input }) => {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <>
      <label htmlFor={id}>{label}</label>
      {children(id, hintId)}
      {hint !== undefined && (
        <p id={hintId} className="hint">
          {hint}
        </p>
      )}
    </>
  );
};

/** A field with its label and a hint. */
export const Field = ({
  className = 'field',
  ...parts
}: ComponentProps<typeof Parts> & { readonly className?: string }) => (
  <div className={className}>
    <Parts {...parts} />
  </div>
);

/** The properties of an input and its label. */
type Line = Labelled &
  Omit<ComponentProps<'input'>, 'id' | 'onChange'> & { readonly onChange: (value: string) => void };

/** A field of one line; it takes all properties of an input. */
export const TextField = ({ label, hint, onChange, ...input }: Line) => (
  <Field label={label} hint={hint}>
    {(id, hintId) => (
      <input
        className="input"
        {...input}
        id={id}
        aria-describedby={hintId}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </Field>
);

/** A field that chooses one of some values; for its other properties see `Select`. */
export const SelectField = ({
  className,
  label,
  hint,
  ...choice
}: Labelled & { readonly className?: string } & Omit<
    ComponentProps<typeof Select>,
    'id' | 'label' | 'hintId'
  >) => (
  <Field label={label} hint={hint} {...(className !== undefined && { className })}>
    {(id, hintId) => <Select {...choice} id={id} hintId={hintId} />}
  </Field>
);

/** A choice of a language of this service, named in itself. */
export const LanguageField = ({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: Language;
  readonly onChange: (language: Language) => void;
}) => (
  <SelectField label={label} value={value} onChange={next => onChange(next as Language)}>
    <option value="en" lang="en">
      English
    </option>
    <option value="fr" lang="fr">
      Français
    </option>
  </SelectField>
);

/** A form of one line, with its button next to it. */
export const LineForm = ({
  label,
  hint,
  button,
  isReady,
  onSubmit,
  onChange,
  input,
  children,
  ...line
}: Omit<Line, 'onSubmit'> & {
  readonly button: string;
  /** Whether there is something to send, and nothing is sent. */
  readonly isReady: boolean;
  readonly onSubmit: () => void;
  /** Another input than a line of text. */
  readonly input?: (id: string) => ReactNode;
}) => (
  <form className="field" onSubmit={submits(onSubmit)}>
    <Parts label={label} hint={hint}>
      {(id, hintId) => (
        <div className="row nowrap">
          {input?.(id) ?? (
            <input
              {...line}
              id={id}
              className="input grow"
              dir="auto"
              aria-describedby={hintId}
              onChange={({ target }) => onChange(target.value)}
            />
          )}
          <button className="button" disabled={!isReady}>
            {button}
          </button>
        </div>
      )}
    </Parts>
    {children}
  </form>
);

/** A choice between yes and no, with its label. */
export const CheckField = ({
  label,
  hint,
  checked,
  onChange,
}: Labelled & {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) => {
  const id = useId();
  return (
    <>
      <div className="check">
        <input
          id={id}
          type="checkbox"
          checked={checked}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          onChange={({ target }) => onChange(target.checked)}
        />
        <label htmlFor={id}>{label}</label>
      </div>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </>
  );
};

/** The buttons of a form: one that sends it, and one that closes it. */
export const FormButtons = ({
  text,
  isReady,
  onCancel,
}: {
  readonly text: string;
  readonly isReady: boolean;
  readonly onCancel: () => void;
}) => {
  const { cancel } = useMessages();
  return (
    <div className="row">
      <button className="button primary" disabled={!isReady}>
        {text}
      </button>
      <button type="button" className="button" onClick={onCancel}>
        {cancel}
      </button>
    </div>
  );
};
