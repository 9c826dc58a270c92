import type { UseMutationResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Alert, Verdict, Incident } from '../api/client.js';
import { useDecidedIds, useIncidentAct } from '../api/incidentMutations.js';
import { useDayAct, type DayAct } from '../api/dayMutations.js';
import { useAlertAct, type Decision, type Undone } from '../api/mutations.js';
import { useSourceNames } from '../api/queries.js';
import { useMessages } from '../messages/messages.js';
import { Field, SelectField, submits } from './Field.js';
import { useToast } from './Toasts.js';
import { useFailedWords } from './Failure.js';
import { hereNow, useDraft, whenDone } from './drafts.js';

/**
 * Sends a change with a message about its outcome.
 * @returns `run`, whose `done` also gets whether the person is still on the screen of the call
 */
export const useTold = <Sent, Got>({
  mutateAsync,
  isPending,
}: Pick<UseMutationResult<Got, Error, Sent>, 'mutateAsync' | 'isPending'>) => {
  const failed = useFailedWords();
  const tell = useToast();
  const run = (sent: Sent, text: string, done?: (got: Got, isHere: boolean) => void): void => {
    const isHere = hereNow();
    whenDone(
      mutateAsync(sent),
      got => {
        done?.(got, isHere());
        tell(text);
      },
      error => tell(failed(error)),
    );
  };
  return { run, isPending };
};

/** States from which an alert can be resolved, including `ended`. */
export const resolvable: readonly Alert['state'][] = ['open', 'acknowledged', 'ended'];

/** Actions on alerts with a message and an undo. */
export const useAlertActions = () => {
  const { alerts: texts } = useMessages();
  const failed = useFailedWords();
  const tell = useToast();
  const { mutateAsync, isPending } = useAlertAct();
  const run = (act: Decision, done: () => void): void =>
    whenDone(mutateAsync(act), done, error => tell(failed(error)));
  const reopen = (ids: readonly string[], only?: Undone): void =>
    run({ act: 'reopen', ids, ...(only !== undefined && { only }) }, () => tell(texts.reopened(ids.length)));
  return {
    isPending,
    reopen: (ids: readonly string[]): void => reopen(ids),
    acknowledge: (ids: readonly string[]): void =>
      run({ act: 'acknowledge', ids }, () =>
        tell(texts.acknowledged(ids.length), () => reopen(ids, { state: 'acknowledged' })),
      ),
    resolve: (
      { id, state }: Pick<Alert, 'id' | 'state'>,
      verdict: Verdict,
      comment: string | null,
      done: () => void,
    ): void =>
      run({ act: 'resolve', ids: [id], verdict, comment }, () => {
        // Reopening does not bring back that it was acknowledged, or over.
        tell(
          texts.resolved(1),
          state === 'open' ? () => reopen([id], { state: 'resolved', verdict }) : undefined,
        );
        done();
      }),
  };
};

/** Changes of dates with a message, and an undo, which is refused for dates that have changed since. */
export const useDayActions = (sourceId: number) => {
  const { incidents, undone, undoOutdated } = useMessages();
  const failed = useFailedWords();
  const tell = useToast();
  const { mutateAsync, isPending } = useDayAct(sourceId);
  const run = (act: DayAct, text: string, undo?: DayAct, onDone?: () => void): void =>
    whenDone(
      mutateAsync(act),
      ({ done: dates, refusal }) => {
        const words = refusal === null ? text : incidents.notAll(dates.length, act.dates.length, refusal);
        tell(words, undo && (() => run({ ...undo, dates, undoes: { act, refusal: undoOutdated } }, undone)));
        if (refusal === null) onDone?.();
      },
      error => tell(failed(error)),
    );
  return { isPending, run };
};

const verdicts: readonly Verdict[] = ['anomaly', 'expected', 'notAnomaly', 'newPattern'];

/** A choice of a verdict, none at first: people choose it themselves. */
export const VerdictField = ({
  value,
  onChange,
}: {
  readonly value: Verdict | '';
  readonly onChange: (verdict: Verdict | '') => void;
}) => {
  const { alerts: texts, verdicts: names } = useMessages();
  return (
    <SelectField
      className="field act-verdict"
      label={texts.verdict}
      value={value}
      options={[['', texts.noVerdict], ...verdicts.map(name => [name, names[name]] as const)]}
      onChange={next => onChange(next as Verdict | '')}
    />
  );
};

/** Form for a verdict with a comment; keeps the typed text until the service has accepted it. */
export const ResolveForm = ({
  draft,
  onResolve,
  pending,
  children,
}: {
  /** Name of the field that the text belongs to. */
  readonly draft: string;
  /** `done` empties the text. */
  readonly onResolve: (verdict: Verdict, comment: string | null, done: () => void) => void;
  readonly pending: boolean;
  /** Other buttons, before the one that resolves. */
  readonly children?: ReactNode;
}) => {
  const { alerts: texts } = useMessages();
  const [verdict, setVerdict] = useState<Verdict | ''>('');
  const [comment, setComment, sent] = useDraft(draft);
  return (
    <form
      className="stack tight"
      onSubmit={submits(() => {
        if (verdict !== '') onResolve(verdict, comment.trim() || null, sent);
      })}
    >
      <Field label={texts.comment}>
        {id => (
          <textarea
            id={id}
            className="textarea"
            maxLength={2000}
            dir="auto"
            value={comment}
            onChange={({ target }) => setComment(target.value)}
          />
        )}
      </Field>
      {/* The verdict is next to its button, which on a phone is at the bottom of the screen. */}
      <div className="act-bar">
        <VerdictField value={verdict} onChange={setVerdict} />
        {children}
        <button type="submit" className="button primary" disabled={pending || verdict === ''}>
          {texts.resolve}
        </button>
      </div>
    </form>
  );
};

/** States from which an incident can be resolved. */
export const resolvableIncident: readonly Incident['state'][] = ['open', 'acknowledged', 'ended'];
/** States from which an incident can be reopened. */
export const reopenable: readonly Incident['state'][] = ['acknowledged', 'resolved'];

/** The instant until which an incident is muted; null also when that has passed. */
export const mutedNow = ({ mutedUntil }: Pick<Incident, 'mutedUntil'>): string | null =>
  mutedUntil !== null && Date.parse(mutedUntil) > Date.now() ? mutedUntil : null;

/** Number of the alerts of an incident on one date, as of several sources; undefined where its sentence has it. */
export const alertsOfOneDate = ({ since, until, counts }: Incident): number | undefined => {
  const alerts = counts.open + counts.acknowledged + counts.resolved + counts.ended;
  return since === until && alerts > 1 ? alerts : undefined;
};

/** Returns a function that names a source; one that is neither present nor known by its number. */
export const useSourceName = (known?: Incident['sources']): ((id: number) => string) => {
  const { explained } = useMessages();
  const names = useSourceNames(known);
  return id => names.get(id) ?? explained.source(id);
};

/** Name of the source of an incident; of several the first and the number of the others. */
export const useSourcesText = (): ((incident: Pick<Incident, 'sources'>) => string) => {
  const { incidents: texts } = useMessages();
  return ({ sources: [first, ...others] }) =>
    first === undefined ? '' : others.length === 0 ? first.name : texts.sources(first.name, others.length);
};

/** Whether reopening brings back an incident as it is now: reopening opens all its alerts. */
const isOpenThroughout = ({ state, counts }: Incident): boolean =>
  state === 'open' && counts.acknowledged + counts.resolved + counts.ended === 0;

/** Gets the incidents that were decided: the others were refused, or never sent. */
type Decided = (ids: readonly string[]) => void;

/**
 * Decisions about incidents with a message. Acknowledging and resolving have an undo if reopening is one, which is
 * refused once another decision has followed.
 */
export const useIncidentActions = () => {
  const { incidents: texts } = useMessages();
  const failed = useFailedWords();
  const tell = useToast();
  const { mutateAsync, isPending, error, data, reset } = useIncidentAct();
  const decidedIds = useDecidedIds();
  type Text = (count: number) => string;
  /** @param before incidents as they are before a decision that may have an undo */
  const run = (act: Decision, text: Text, before: readonly Incident[], done?: Decided): void =>
    whenDone(
      mutateAsync(act),
      ({ done: ids, refusal }) => {
        const words = refusal === null ? text(ids.length) : texts.notAll(ids.length, act.ids.length, refusal);
        const only: Undone =
          act.act === 'resolve' ? { state: 'resolved', verdict: act.verdict } : { state: 'acknowledged' };
        const hasUndo = before.length > 0 && before.every(isOpenThroughout);
        tell(
          words,
          hasUndo ? () => run({ act: 'reopen', ids, only }, texts.reopened, []) : undefined,
          before.length > 0 ? texts.reopenLater(ids.length, texts.states[only.state]) : undefined,
        );
        done?.(ids);
      },
      reason => tell(failed(reason)),
    );
  /** A second press is one too many, and may hit the next row. */
  const waiting = (all: readonly Incident[]): readonly Incident[] => {
    const underWay = decidedIds();
    return all.filter(({ id }) => !underWay.has(id));
  };
  return {
    isPending,
    /** The refusal of all or of some. */
    error: error ?? data?.refusal ?? null,
    reset,
    reopen: (all: readonly Incident[], done?: Decided): void => {
      const ids = idsOf(waiting(all));
      if (ids.length > 0) run({ act: 'reopen', ids }, texts.reopened, [], done);
    },
    acknowledge: (all: readonly Incident[], done?: Decided): void => {
      const ids = idsOf(waiting(all));
      if (ids.length > 0) run({ act: 'acknowledge', ids }, texts.acknowledged, waiting(all), done);
    },
    resolve: (all: readonly Incident[], verdict: Verdict, comment: string | null, done?: Decided): void =>
      run({ act: 'resolve', ids: idsOf(all), verdict, comment }, texts.resolved, all, done),
  };
};

const idsOf = (all: readonly { readonly id: string }[]): readonly string[] => all.map(({ id }) => id);
