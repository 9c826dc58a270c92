import {
  type ReactNode,
  useEffect,
  useMemo,
  useId,
  useState,
  type ComponentProps,
  type FormEvent,
  type RefObject,
} from 'react';
import type { Model, OverviewSource } from '../api/client.js';
import { modelNameOf, useFormats } from '../messages/formats.js';
import type { Language } from '../messages/language.js';
import { useMessages } from '../messages/messages.js';

/** Values of a choice with their texts. */
export type Options = readonly (readonly [value: string, text: string])[];

/** A choice of one text out of some, such as a filter; it has a label for screen readers, or one next to it by `id`. */
export const Select = ({
  id,
  label,
  hintId,
  value,
  options = [],
  onChange,
  children,
}: {
  readonly id?: string;
  readonly label?: string;
  /** Id of a text that describes it. */
  readonly hintId?: string | undefined;
  readonly value: string;
  readonly options?: Options;
  readonly onChange: (value: string) => void;
  /** Options before the others. */
  readonly children?: ReactNode;
}) => (
  <select
    id={id}
    className="select"
    aria-label={label}
    aria-describedby={hintId}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  >
    {children}
    {options.map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </select>
);

/** A choice of one model, none at first; its label is next to it, by `id`. */
export const ModelSelect = ({
  id,
  models,
  value,
  onChange,
}: {
  readonly id: string;
  readonly models: readonly Pick<Model, 'id' | 'name' | 'names'>[];
  /** Id of the model, empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}) => {
  const { chooseModel } = useMessages().alert;
  const formats = useFormats();
  const named = models.map(model => [String(model.id), modelNameOf(model, formats)] as const);
  return <Select id={id} value={value} options={[['', chooseModel], ...named]} onChange={onChange} />;
};

/** Whether a source has a label `key:value`. */
export const hasLabel = ({ labels }: Pick<OverviewSource, 'labels'>, label: string): boolean => {
  const at = label.indexOf(':');
  return labels[label.slice(0, at)] === label.slice(at + 1);
};

/** A choice of sources by one of their labels; nothing when no source has one. */
export const LabelFilter = ({
  sources,
  value,
  onChange,
}: {
  readonly sources: readonly OverviewSource[];
  readonly value: string | undefined;
  readonly onChange: (label: string | undefined) => void;
}) => {
  const { labelFilter: texts } = useMessages();
  const known = useMemo(() => {
    const all = sources.flatMap(({ labels }) => Object.entries(labels).map(label => label.join(':')));
    return [...new Set(value === undefined ? all : [...all, value])].sort();
  }, [sources, value]);
  if (known.length === 0) return null;
  return (
    <Select
      label={texts.label}
      value={value ?? ''}
      options={[['', texts.any], ...known.map(label => [label, label.replace(':', ': ')] as const)]}
      onChange={next => onChange(next || undefined)}
    />
  );
};

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
          <button type="submit" className="button" disabled={!isReady}>
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
      <button type="submit" className="button primary" disabled={!isReady}>
        {text}
      </button>
      <button type="button" className="button" onClick={onCancel}>
        {cancel}
      </button>
    </div>
  );
};

/** A search whose text is in the address, which follows the field: set from there, the caret would go to the end. */
export const SearchField = ({
  field,
  label,
  value,
  onChange,
}: {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}) => {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(value);
  }, [value, field]);
  return (
    <input
      ref={field}
      type="search"
      className="input"
      placeholder={label}
      aria-label={label}
      value={typed}
      onBlur={() => setTyped(value)}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(target.value);
      }}
    />
  );
};
