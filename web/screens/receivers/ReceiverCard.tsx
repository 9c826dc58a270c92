import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import {
  attemptsQuery,
  useReceiverAct,
  useReceiverChange,
  useTrial,
  addressOf,
  kindOf,
  typedOf,
} from './receiverForms.js';
import type { DeliveryAttempt, Webhook } from '../../api/client.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure, Faults } from '../../parts/Failure.js';
import { FormButtons, submits } from '../../parts/Field.js';
import { AskingButton } from '../../parts/Question.js';
import { whenRemoved } from '../../parts/drafts.js';
import { useToast } from '../../parts/Toasts.js';
import { ReceiverFields } from './ReceiverForm.js';

/** One receiver: its state, and what people can do with it. */
export const ReceiverCard = ({ receiver }: { readonly receiver: Webhook }) => {
  const { receivers: texts } = useMessages();
  const [isChanging, setChanging] = useState(false);
  const id = useId();
  const kind = texts.kinds[kindOf(receiver)];
  return (
    <li className="card card-pad stack tight" aria-labelledby={id}>
      <div className="row">
        <h2 id={id}>{kind}</h2>
        <State receiver={receiver} />
      </div>
      <p className="mono receiver-address" dir="auto">
        {addressOf(receiver)}
      </p>
      <Facts receiver={receiver} />
      {isChanging ? (
        <ChangeForm receiver={receiver} onDone={() => setChanging(false)} />
      ) : (
        <Actions receiver={receiver} onChange={() => setChanging(true)} />
      )}
    </li>
  );
};

/** Whether messages are delivered, and why not. */
const State = ({ receiver: { status, disabledReason, delivery } }: { readonly receiver: Webhook }) => {
  const { receivers: texts } = useMessages();
  const formats = useFormats();
  if (status === 'disabled')
    return <span className="badge">{texts.disabled(texts.reasons[disabledReason ?? 'requested'])}</span>;
  const { failingSince, failedAttempts } = delivery;
  if (failingSince === null) return <span className="badge">{texts.active}</span>;
  return <span className="badge fault">{texts.failing(failedAttempts, formats.instant(failingSince))}</span>;
};

/** The filter and the times in words. */
const Facts = ({ receiver }: { readonly receiver: Webhook }) => {
  const { receivers: texts } = useMessages();
  const formats = useFormats();
  const { events, minCriticity, labels, digest, quietHours, options } = receiver;
  const quietMin = quietHours?.minCriticity ? formats.number(quietHours.minCriticity) : undefined;
  const words = [
    events.length === Object.keys(texts.events).length
      ? texts.allMessages
      : events.map(type => texts.events[type]).join(', '),
    ...(minCriticity > 0
      ? [texts.levels[String(minCriticity)] ?? texts.level(formats.number(minCriticity))]
      : []),
    ...Object.entries(labels).map(label => label.join(': ')),
    ...(digest ? [[texts.every(digest.everyMinutes), digest.at ?? []].flat().join(', ')] : []),
    ...(quietHours ? [texts.quiet(quietHours.from, quietHours.to, quietMin)] : []),
    ...(options.length > 0 ? [texts.optionsSet(options.map(name => texts.options[name]).join(', '))] : []),
  ];
  return (
    <p className="muted small" dir="auto">
      {words.join(' · ')}
    </p>
  );
};

const Actions = ({ receiver, onChange }: { readonly receiver: Webhook; readonly onChange: () => void }) => {
  const { receivers: texts } = useMessages();
  const { id, status } = receiver;
  const trial = useTrial(id);
  const act = useReceiverAct(id);
  const [showsAttempts, setShowsAttempts] = useState(false);
  const isPending = trial.isPending || act.isPending;
  const error = trial.error ?? act.error;
  return (
    <>
      <div className="row">
        <button type="button" className="button" disabled={isPending} onClick={() => trial.mutate()}>
          {texts.try}
        </button>
        <button type="button" className="button" disabled={isPending} onClick={onChange}>
          {texts.change}
        </button>
        <button
          type="button"
          className="button"
          disabled={isPending}
          onClick={() => act.mutate(status === 'active' ? 'disable' : 'enable')}
        >
          {status === 'active' ? texts.disable : texts.enable}
        </button>
        <Deletion receiver={receiver} />
        <button
          type="button"
          className="button quiet"
          aria-expanded={showsAttempts}
          onClick={() => setShowsAttempts(!showsAttempts)}
        >
          {texts.attempts}
        </button>
      </div>
      <p role="status" className={trial.data && !isDelivered(trial.data) ? 'fault' : 'muted'}>
        {trial.isPending ? texts.trying : trial.data ? texts.tried(resultOf(trial.data, texts)) : ''}
      </p>
      {error && <Faults error={error} />}
      {showsAttempts && <Attempts id={id} />}
    </>
  );
};

type Texts = ReturnType<typeof useMessages>['receivers'];

const isDelivered = ({ outcome }: DeliveryAttempt): boolean => outcome === 'delivered';

/** Result of an attempt in words. */
const resultOf = (attempt: DeliveryAttempt, texts: Texts): string => {
  const { status, failure, latencyMs } = attempt;
  if (failure !== null) return texts.failures[failure];
  return isDelivered(attempt) ? texts.delivered(status ?? 0, latencyMs) : texts.refused(status ?? 0);
};

const Attempts = ({ id }: { readonly id: string }) => {
  const { receivers: texts, loading } = useMessages();
  const formats = useFormats();
  const { data, error } = useQuery(attemptsQuery(id));
  const types = { ...texts.events, ...texts.otherTypes };
  if (!data) return error ? <Failure error={error} /> : <p role="status">{loading}</p>;
  if (data.deliveries.length === 0) return <p className="muted">{texts.noAttempts}</p>;
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={texts.attempts}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{texts.at}</th>
            <th scope="col">{texts.message}</th>
            <th scope="col">{texts.result}</th>
          </tr>
        </thead>
        <tbody>
          {data.deliveries.map((attempt, index) => (
            <tr key={index}>
              <td>{formats.instant(attempt.at)}</td>
              <td>{types[attempt.type]}</td>
              <td>{resultOf(attempt, texts)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

/** Deletes a receiver after a confirmation. */
const Deletion = ({ receiver }: { readonly receiver: Webhook }) => {
  const { receivers: texts } = useMessages();
  const tell = useToast();
  const { mutateAsync, isPending, error, reset } = useReceiverAct(receiver.id);
  return (
    <AskingButton
      text={texts.delete}
      question={texts.deleteQuestion(addressOf(receiver))}
      hint={texts.deleteHint}
      yes={texts.deleteYes}
      isPending={isPending}
      error={error}
      forget={reset}
      onYes={close => whenRemoved(mutateAsync('delete'), close, () => tell(texts.deleted))}
    />
  );
};

const ChangeForm = ({ receiver, onDone }: { readonly receiver: Webhook; readonly onDone: () => void }) => {
  const { receivers: texts, save } = useMessages();
  const tell = useToast();
  const [opened] = useState(() => typedOf(receiver));
  const [typed, setTyped] = useState(opened);
  const { mutate, isPending, error } = useReceiverChange(receiver.id);
  return (
    <form
      className="stack tight"
      onSubmit={submits(() => {
        const onSuccess = (): void => {
          tell(texts.saved);
          onDone();
        };
        mutate({ opened, typed }, { onSuccess });
      })}
    >
      <ReceiverFields
        typed={typed}
        before={receiver}
        onChange={next => setTyped(now => ({ ...now, ...next }))}
      />
      {error && <Faults error={error} />}
      <FormButtons text={save} isReady={!isPending && typed.events.length > 0} onCancel={onDone} />
    </form>
  );
};
