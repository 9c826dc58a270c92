import { useId, useState } from 'react';
import type { CalendarRule, Source } from '../../api/client.js';
import { useRuleSave, type RuleDraft } from '../../api/mutations.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Failure.js';
import { FileButton } from '../../parts/FileDrop.js';
import { Select } from '../../parts/Select.js';
import { useToast } from '../../parts/Toasts.js';
import { usualRules } from './usualRules.js';

const nameMax = 100;
const ruleMax = 540;

/** Where the dates come from: a usual rule, one of RFC 5545, or a file. */
type Kind = keyof typeof usualRules | 'own' | 'file';
const kinds: readonly Kind[] = [...(Object.keys(usualRules) as (keyof typeof usualRules)[]), 'own', 'file'];

type Typed = {
  /** The name as typed; undefined until then. */
  readonly name: string | undefined;
  readonly kind: Kind;
  readonly rule: string;
  readonly file: File | undefined;
  /** A label `key:value` of the source, empty for this source alone. */
  readonly label: string;
};

/** The rule that a form would save; undefined while something is missing. */
const draftOf = (
  { kind, rule, file, label }: Typed,
  name: string,
  { id, labels }: Source,
): RuleDraft | undefined => {
  const key = label.slice(0, label.indexOf(':'));
  const place = label === '' ? { sourceId: id } : { labels: { [key]: labels[key] ?? '' } };
  if (name === '') return undefined;
  if (kind === 'file') return file && { ...place, name, file };
  const text = kind === 'own' ? rule.trim() : usualRules[kind];
  return text === '' ? undefined : { ...place, name, rule: text };
};

/** A form for a rule or a file. Its next dates are shown before it is saved. */
export const RuleForm = ({ source, onClose }: { readonly source: Source; readonly onClose: () => void }) => {
  const { rules: texts, cancel } = useMessages();
  const tell = useToast();
  const [typed, setTyped] = useState<Typed>({
    ...{ name: undefined, kind: 'monthEnd', rule: '', file: undefined, label: '' },
  });
  const { mutate, isPending, error, reset } = useRuleSave(source.id);
  const [preview, setPreview] = useState<CalendarRule>();
  const name = (typed.name ?? texts.names[typed.kind] ?? '').trim();
  const draft = draftOf(typed, name, source);
  const change = (next: Partial<Typed>): void => {
    setTyped({ ...typed, ...next });
    setPreview(undefined);
    reset();
  };
  const submit = (): void => {
    if (!draft) return;
    if (!preview) return mutate({ draft, preview: true }, { onSuccess: setPreview });
    mutate(
      { draft, preview: false },
      {
        onSuccess: saved => {
          tell(texts.saved(saved.name));
          onClose();
        },
      },
    );
  };
  return (
    <form
      className="stack tight rule-form"
      onSubmit={event => {
        event.preventDefault();
        submit();
      }}
    >
      <RuleFields
        typed={typed}
        name={typed.name ?? texts.names[typed.kind] ?? ''}
        source={source}
        onChange={change}
      />
      {error && <Faults error={error} />}
      {preview && <NextDates rule={preview} />}
      <div className="row">
        <button className="button primary" disabled={!draft || isPending}>
          {preview ? texts.save : texts.preview}
        </button>
        <button type="button" className="button" onClick={onClose}>
          {cancel}
        </button>
      </div>
    </form>
  );
};

const RuleFields = ({
  typed,
  name,
  source,
  onChange,
}: {
  readonly typed: Typed;
  readonly name: string;
  readonly source: Source;
  readonly onChange: (next: Partial<Typed>) => void;
}) => {
  const { rules: texts } = useMessages();
  const id = useId();
  const labels = Object.entries(source.labels).map(label => label.join(':'));
  return (
    <>
      <div className="field">
        <label htmlFor={`${id}-kind`}>{texts.kind}</label>
        <Select id={`${id}-kind`} value={typed.kind} onChange={kind => onChange({ kind: kind as Kind })}>
          {kinds.map(kind => (
            <option key={kind} value={kind}>
              {texts.usual[kind] ?? kind}
            </option>
          ))}
        </Select>
      </div>
      {typed.kind === 'own' && <OwnRule rule={typed.rule} onRule={rule => onChange({ rule })} />}
      {typed.kind === 'file' && <CalendarFile file={typed.file} onFile={file => onChange({ file })} />}
      <div className="field">
        <label htmlFor={`${id}-name`}>{texts.name}</label>
        <input
          id={`${id}-name`}
          className="input"
          maxLength={nameMax}
          dir="auto"
          value={name}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <p id={`${id}-hint`} className="hint">
          {texts.nameHint}
        </p>
      </div>
      {labels.length > 0 && (
        <div className="field">
          <label htmlFor={`${id}-place`}>{texts.place}</label>
          <Select id={`${id}-place`} value={typed.label} onChange={label => onChange({ label })}>
            <option value="">{texts.here}</option>
            {labels.map(label => (
              <option key={label} value={label}>
                {texts.all(label)}
              </option>
            ))}
          </Select>
        </div>
      )}
    </>
  );
};

/** The calendar file that is to be read. */
const CalendarFile = ({
  file,
  onFile,
}: {
  readonly file: File | undefined;
  readonly onFile: (file: File) => void;
}) => {
  const { rules: texts } = useMessages();
  return (
    <div className="row">
      <FileButton
        text={texts.choose}
        label={texts.fileLabel}
        accept=".ics,text/calendar"
        disabled={false}
        onFile={onFile}
      />
      <span className="muted" dir="auto">
        {file?.name ?? texts.noFile}
      </span>
    </div>
  );
};

/** A rule of RFC 5545 as text. */
const OwnRule = ({ rule, onRule }: { readonly rule: string; readonly onRule: (rule: string) => void }) => {
  const { rules: texts } = useMessages();
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{texts.rule}</label>
      <input
        id={id}
        className="input mono"
        maxLength={ruleMax}
        spellCheck={false}
        value={rule}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onRule(target.value)}
      />
      <p id={`${id}-hint`} className="hint">
        {texts.ruleHint}
      </p>
    </div>
  );
};

/** The next dates of a rule that is not saved yet. */
const NextDates = ({ rule: { dates, dateCount, from, to } }: { readonly rule: CalendarRule }) => {
  const { rules: texts } = useMessages();
  const formats = useFormats();
  return (
    <div role="status" className="rule-preview">
      <p className="label">{dates.length === 0 ? texts.over : texts.nextDates}</p>
      <ol className="rule-dates">
        {dates.map(date => (
          <li key={date} className="badge">
            {formats.dayFull(date)}
          </li>
        ))}
      </ol>
      <p className="hint">{texts.window(dateCount, formats.range(from, to))}</p>
    </div>
  );
};
