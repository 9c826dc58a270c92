import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CalendarRule, Source } from '../../api/client.js';
import { useRuleSave, type RuleDraft, useRuleDelete } from '../../api/mutations.js';
import { queries } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Faults, Failure } from '../../parts/Failure.js';
import { FormButtons, SelectField, submits, TextField } from '../../parts/Field.js';
import { FileButton } from '../../parts/FileDrop.js';
import { whenRemoved } from '../../parts/drafts.js';
import { AskingButton } from '../../parts/Question.js';
import { useToast } from '../../parts/Toasts.js';
import './rules.css';

/** Rules that are offered in words. */
const usualRules = {
  monthEnd: 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  monthBegin: 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1',
  quarterEnd: 'FREQ=MONTHLY;BYMONTH=3,6,9,12;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
} as const;

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
  sourceId: number,
): RuleDraft | undefined => {
  const at = label.indexOf(':');
  const place = label === '' ? { sourceId } : { labels: { [label.slice(0, at)]: label.slice(at + 1) } };
  if (name === '') return undefined;
  if (kind === 'file') return file && { ...place, name, file };
  const text = kind === 'own' ? rule.trim() : usualRules[kind];
  return text === '' ? undefined : { ...place, name, rule: text };
};

/** A form for a rule or a file. Its next dates are shown before it is saved. */
const RuleForm = ({ source, onClose }: { readonly source: Source; readonly onClose: () => void }) => {
  const { rules: texts } = useMessages();
  const tell = useToast();
  const [typed, setTyped] = useState<Typed>({
    ...{ name: undefined, kind: 'monthEnd', rule: '', file: undefined, label: '' },
  });
  const { mutate, isPending, error, reset } = useRuleSave(source.id);
  const [preview, setPreview] = useState<CalendarRule>();
  const name = (typed.name ?? texts.names[typed.kind] ?? '').trim();
  const draft = draftOf(typed, name, source.id);
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
    <form className="stack tight rule-form" onSubmit={submits(submit)}>
      <fieldset className="as-one" disabled={isPending}>
        <RuleFields
          typed={typed}
          name={typed.name ?? texts.names[typed.kind] ?? ''}
          source={source}
          onChange={change}
        />
      </fieldset>
      {error && <Faults error={error} />}
      {preview && <NextDates rule={preview} />}
      <FormButtons
        text={preview ? texts.save : texts.preview}
        isReady={draft !== undefined && !isPending}
        onCancel={onClose}
      />
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
  const present = Object.entries(source.labels).map(label => label.join(':'));
  // The chosen one stays when another person takes it from the source.
  const labels = typed.label === '' ? present : [...new Set([...present, typed.label])];
  return (
    <>
      <SelectField
        label={texts.kind}
        value={typed.kind}
        options={kinds.map(kind => [kind, texts.usual[kind] ?? kind])}
        onChange={kind => onChange({ kind: kind as Kind })}
      />
      {typed.kind === 'own' && (
        <TextField
          label={texts.rule}
          hint={texts.ruleHint}
          className="input mono"
          maxLength={ruleMax}
          spellCheck={false}
          value={typed.rule}
          onChange={rule => onChange({ rule })}
        />
      )}
      {typed.kind === 'file' && <CalendarFile file={typed.file} onFile={file => onChange({ file })} />}
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        maxLength={nameMax}
        dir="auto"
        value={name}
        onChange={next => onChange({ name: next })}
      />
      {labels.length > 0 && (
        <SelectField
          label={texts.place}
          value={typed.label}
          options={[['', texts.here], ...labels.map(label => [label, texts.all(label)] as const)]}
          onChange={label => onChange({ label })}
        />
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

/** The rules that name special days of a source, and a form for another one. */
export const CalendarRules = ({
  source,
  editable,
}: {
  readonly source: Source;
  readonly editable: boolean;
}) => {
  const { rules: texts } = useMessages();
  const { data, error, refetch } = useQuery(queries.calendarRules(source.id));
  const [adding, setAdding] = useState(false);
  if (error && !data) return <Failure error={error} reset={() => void refetch()} />;
  if (!data || (data.length === 0 && !editable)) return null;
  return (
    <section className="card card-pad stack tight rules no-print" aria-labelledby="rules-title">
      <div className="row">
        <h2 id="rules-title" className="grow">
          {texts.title}
        </h2>
        {editable && !adding && (
          <button type="button" className="button" onClick={() => setAdding(true)}>
            {texts.add}
          </button>
        )}
      </div>
      <p className="muted small">{texts.hint}</p>
      {data.length > 0 && (
        <ul className="rule-list">
          {data.map(rule => (
            <RuleRow key={rule.id} rule={rule} sourceId={source.id} editable={editable} />
          ))}
        </ul>
      )}
      {adding && <RuleForm source={source} onClose={() => setAdding(false)} />}
    </section>
  );
};

/** The text of a rule, in words for usual ones. */
const useRuleWords = ({ rule }: Pick<CalendarRule, 'rule'>): string => {
  const { rules: texts } = useMessages();
  if (rule === null) return texts.fromFile;
  const usual = Object.entries(usualRules).find(([, text]) => text === rule);
  return usual ? (texts.usual[usual[0]] ?? rule) : rule;
};

type RowProps = { readonly rule: CalendarRule; readonly sourceId: number };

const RuleRow = ({ rule, sourceId, editable }: RowProps & { readonly editable: boolean }) => {
  const { rules: texts } = useMessages();
  const formats = useFormats();
  const words = useRuleWords(rule);
  const labels = Object.entries(rule.labels ?? {}).map(label => label.join(':'));
  const [next] = rule.dates;
  return (
    <li className="rule-row">
      <div className="grow">
        <strong dir="auto">{rule.name}</strong>{' '}
        {labels.map(label => (
          <span key={label} className="badge" dir="auto">
            {label}
          </span>
        ))}
        <p className="muted small" dir="auto">
          {words} · {texts.dates(rule.dateCount)} ·{' '}
          {next === undefined ? texts.over : texts.next(formats.dayYear(next))}
        </p>
      </div>
      {editable && <DeleteRule rule={rule} sourceId={sourceId} isShared={labels.length > 0} />}
    </li>
  );
};

/** Deletes a rule after a confirmation: the dates of a file are gone then. */
const DeleteRule = ({
  rule: { id, name },
  sourceId,
  isShared,
}: RowProps & { readonly isShared: boolean }) => {
  const { rules: texts } = useMessages();
  const tell = useToast();
  const { mutateAsync, isPending, error, reset } = useRuleDelete(sourceId);
  const remove = (close: () => void): void =>
    whenRemoved(mutateAsync(id ?? ''), close, () => tell(texts.deleted(name)));
  return (
    <AskingButton
      text={texts.delete}
      name={texts.deleteOf(name)}
      question={texts.deleteQuestion(name)}
      hint={isShared ? texts.deleteSharedHint : texts.deleteHint}
      yes={texts.delete}
      isPending={isPending}
      error={error}
      forget={reset}
      onYes={remove}
    />
  );
};
