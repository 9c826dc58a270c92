import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CalendarRule, Source } from '../../api/client.js';
import { useRuleDelete } from '../../api/mutations.js';
import { queries } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { AskingButton } from '../../parts/Question.js';
import { useToast } from '../../parts/Toasts.js';
import { RuleForm, usualRules } from './RuleForm.js';
import './rules.css';

/** The rules that name special days of a source, and a form for another one. */
export const CalendarRules = ({
  source,
  editable,
}: {
  readonly source: Source;
  readonly editable: boolean;
}) => {
  const { rules: texts } = useMessages();
  const { data, error } = useQuery(queries.calendarRules(source.id));
  const [adding, setAdding] = useState(false);
  if (error) return <Failure error={error} />;
  if (!data || (data.length === 0 && !editable)) return null;
  return (
    <section className="card card-pad stack tight rules no-print" aria-labelledby="rules-title">
      <div className="row">
        <h2 id="rules-title" className="grow">
          {texts.title}
        </h2>
        {editable && !adding && (
          <button className="button" onClick={() => setAdding(true)}>
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

const RuleRow = ({
  rule,
  sourceId,
  editable,
}: {
  readonly rule: CalendarRule;
  readonly sourceId: number;
  readonly editable: boolean;
}) => {
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
}: {
  readonly rule: CalendarRule;
  readonly sourceId: number;
  readonly isShared: boolean;
}) => {
  const { rules: texts } = useMessages();
  const tell = useToast();
  const { mutateAsync, isPending, error } = useRuleDelete(sourceId);
  // The row is gone before the rule is: callbacks of `mutate` would not be called.
  const remove = (): Promise<void> =>
    mutateAsync(id ?? '').then(
      () => tell(texts.deleted(name)),
      () => undefined,
    );
  return (
    <AskingButton
      text={texts.delete}
      name={texts.deleteOf(name)}
      question={texts.deleteQuestion(name)}
      hint={isShared ? texts.deleteSharedHint : texts.deleteHint}
      yes={texts.deleteYes}
      isPending={isPending}
      error={error}
      onYes={() => void remove()}
    />
  );
};
