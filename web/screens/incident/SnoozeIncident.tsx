import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMute, useUnmute } from '../../api/incidentMutations.js';
import { queries } from '../../api/queries.js';
import type { Incident } from '../../api/client.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { useDraft } from '../../parts/drafts.js';
import { instantOf } from '../../parts/days.js';
import { mutedNow, useTold } from '../../parts/actions.js';
import { SelectField, submits, TextField } from '../../parts/Field.js';

const ends = ['hour', 'tomorrow', 'date'] as const;
type End = (typeof ends)[number];

/** An end in an hour is rounded up, so that a form that is sent again after a lost answer makes no second mute. */
const roundMs = 300_000;

/** The instant of an end; undefined for a date that is not typed yet. Tomorrow is that of the reader. */
const untilOf = (end: End, date: string): string | undefined => {
  if (end === 'date') return instantOf(date);
  const now = new Date();
  if (end === 'hour') return new Date(Math.ceil(now.getTime() / roundMs) * roundMs + 3_600_000).toISOString();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 8).toISOString();
};

/** Snoozes an incident with a reason until an end, or ends that. */
export const SnoozeIncident = ({ incident }: { readonly incident: Incident }) => {
  const { incident: texts } = useMessages();
  const muted = mutedNow(incident);
  return (
    <section className="card card-pad stack tight no-print">
      <h2>{texts.snooze}</h2>
      {muted === null ? <SnoozeForm id={incident.id} /> : <Snoozed incident={incident} until={muted} />}
    </section>
  );
};

/** Longest time of a timer of a browser. */
const timerMaxMs = 2 ** 31 - 1;
/** A timer may end a little before its time. */
const timerSlackMs = 50;

/** Renders the page again when the mute of its incident has ended, and asks the service what is so then. */
export const useMuteEnd = (incident: Incident): void => {
  const client = useQueryClient();
  const [, setEnded] = useState<string>();
  const muted = mutedNow(incident);
  const { id } = incident;
  useEffect(() => {
    if (muted === null) return;
    const end = (): void => {
      setEnded(muted);
      void client.invalidateQueries({ queryKey: queries.incident(id).queryKey });
    };
    const timer = setTimeout(end, Math.min(timerMaxMs, Date.parse(muted) - Date.now() + timerSlackMs));
    return () => clearTimeout(timer);
  }, [client, muted, id]);
};

const SnoozeForm = ({ id }: { readonly id: string }) => {
  const { incident: texts } = useMessages();
  const formats = useFormats();
  const [end, setEnd] = useState<End>('hour');
  const [date, setDate] = useState('');
  const [reason, setReason, sent] = useDraft(`snooze ${id}`);
  const { run, isPending } = useTold(useMute());
  const snooze = (until: string): void =>
    run({ incidentId: id, until, reason: reason.trim() }, texts.snoozed(formats.instant(until)), sent);
  return (
    <form
      className="stack tight"
      onSubmit={submits(() => {
        const until = untilOf(end, date);
        if (until !== undefined && reason.trim() !== '') snooze(until);
      })}
    >
      <EndFields end={end} date={date} onEnd={setEnd} onDate={setDate} />
      <TextField
        label={texts.reason}
        hint={texts.snoozeHint}
        maxLength={2000}
        dir="auto"
        value={reason}
        onChange={setReason}
      />
      <div>
        <button
          type="submit"
          className="button"
          disabled={isPending || reason.trim() === '' || (end === 'date' && instantOf(date) === undefined)}
        >
          {texts.snooze}
        </button>
      </div>
    </form>
  );
};

/** A choice of an end; a date is typed. */
const EndFields = ({
  end,
  date,
  onEnd,
  onDate,
}: {
  readonly end: End;
  readonly date: string;
  readonly onEnd: (end: End) => void;
  readonly onDate: (date: string) => void;
}) => {
  const { incident: texts } = useMessages();
  return (
    <>
      <SelectField
        label={texts.until}
        value={end}
        options={ends.map(name => [name, texts.ends[name]])}
        onChange={next => onEnd(next as End)}
      />
      {end === 'date' && (
        <TextField label={texts.date} type="datetime-local" value={date} onChange={onDate} />
      )}
    </>
  );
};

/** The end of a snooze with its reason; a mute of the sources is ended where mutes are listed. */
const Snoozed = ({ incident, until }: { readonly incident: Incident; readonly until: string }) => {
  const { incident: texts, incidents } = useMessages();
  const formats = useFormats();
  const { data } = useQuery(queries.mutes());
  const { run, isPending } = useTold(useUnmute());
  const own = data?.find(({ incidentId }) => incidentId === incident.id);
  return (
    <>
      <p>{texts.snoozed(formats.instant(until))}</p>
      {own && (
        <p className="muted" dir="auto">
          {own.reason}
        </p>
      )}
      {own ? (
        <div>
          <button
            type="button"
            className="button"
            disabled={isPending}
            onClick={() => run(own.id, texts.woken)}
          >
            {texts.wake}
          </button>
        </div>
      ) : (
        data && (
          <p className="row">
            <span className="muted">{texts.mutedBy}</span>
            <Link to="/mutes" className="alone">
              {incidents.toMutes}
            </Link>
          </p>
        )
      )}
    </>
  );
};
