import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Incident, IncidentStep } from '../../api/client.js';
import { useIncidentChange } from '../../api/incidentMutations.js';
import { queries, dateOfAlert, sourceOfAlert } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Author, HistoryStep } from '../../parts/Author.js';
import { submits, TextField } from '../../parts/Field.js';
import { useSourceName, useTold } from '../../parts/actions.js';
import { useReasonWords } from './IncidentAlerts.js';

type Change = Incident['changes'][number];

/** Returns a function that says a change without its date in the reader's language. */
const useChangeSummary = (): ((change: Pick<Change, 'summary' | 'summaries'>) => string) => {
  const { language } = useFormats();
  return ({ summary, summaries }) => (summaries as Readonly<Record<string, string>>)[language] ?? summary;
};

/** The changes of an incident that stay: what will be expected when they are the new normal, and that decision. */
export const AcceptChange = ({ incident }: { readonly incident: Incident }) => {
  const { incident: texts } = useMessages();
  const taken = incident.accepted.map(({ sourceId }) => sourceId);
  const open = incident.changes.filter(({ sourceId }) => !taken.includes(sourceId));
  if (open.length === 0 && taken.length === 0) return null;
  return (
    <section className="card card-pad stack tight no-print">
      <h2>{texts.change.title}</h2>
      {incident.accepted.length > 0 && <Accepted incident={incident} />}
      {open.length > 0 && (
        <AcceptForm key={open.map(({ from }) => from).join()} incident={incident} open={open} />
      )}
    </section>
  );
};

/** Sources of changes, with their names; nothing for a single one. */
const useNamed = ({ sources }: Incident): ((sourceId: number, all: number) => string) => {
  const nameOf = useSourceName(sources);
  return (sourceId, all) => (all > 1 ? nameOf(sourceId) : '');
};

const AcceptForm = ({
  incident,
  open,
}: {
  readonly incident: Incident;
  readonly open: readonly Change[];
}) => {
  const { incident: texts } = useMessages();
  const { dayYear } = useFormats();
  const summary = useChangeSummary();
  const named = useNamed(incident);
  const mayAct = useScope('alert');
  const { run, isPending } = useTold(useIncidentChange(incident.id));
  const [left, setLeft] = useState<readonly number[]>([]);
  const first = open.map(({ from }) => from).sort()[0] ?? '';
  const [from, setFrom] = useState(first);
  const chosen = open.filter(({ sourceId }) => !left.includes(sourceId));
  const sourceIds = chosen.map(({ sourceId }) => sourceId);
  const accept = (): void =>
    run({ change: 'accept', sourceIds, ...(from !== first && { from }) }, texts.change.accepted);
  const toggle = (sourceId: number): void =>
    setLeft(left.includes(sourceId) ? left.filter(other => other !== sourceId) : [...left, sourceId]);
  return (
    <form className="stack tight" onSubmit={submits(accept)}>
      {open.map(change => {
        const { sourceId } = change;
        const preview = texts.change.preview({
          source: named(sourceId, open.length),
          from: dayYear(from === first ? change.from : from),
          what: summary(change),
        });
        return open.length === 1 ? (
          <p key={sourceId} dir="auto">
            {preview}
          </p>
        ) : (
          <label key={sourceId} className="toggle" dir="auto">
            <input type="checkbox" checked={!left.includes(sourceId)} onChange={() => toggle(sourceId)} />
            <span>{preview}</span>
          </label>
        );
      })}
      {mayAct && (
        <>
          <TextField label={texts.change.from} type="date" required value={from} onChange={setFrom} />
          <p className="hint">{texts.change.hint}</p>
          <div>
            <button
              type="submit"
              className="button"
              disabled={isPending || chosen.length === 0 || from === ''}
            >
              {texts.change.accept}
            </button>
          </div>
        </>
      )}
    </form>
  );
};

/** The changes that are the new normal, by whom, and the button that takes them back. */
const Accepted = ({ incident }: { readonly incident: Incident }) => {
  const { incident: texts } = useMessages();
  const formats = useFormats();
  const summary = useChangeSummary();
  const named = useNamed(incident);
  const mayAct = useScope('alert');
  const { run, isPending } = useTold(useIncidentChange(incident.id));
  const withdraw = (): void => run({ change: 'withdraw' }, texts.change.withdrawn);
  return (
    <>
      {incident.accepted.map(({ sourceId, from, change, by, byKind, at }) => (
        <p key={sourceId} dir="auto">
          {texts.change.isNormal({
            source: named(sourceId, incident.accepted.length),
            from: formats.dayYear(from),
            what: summary(change),
          })}{' '}
          <span className="muted small">
            <Author by={by} byKind={byKind} />, <time dateTime={at}>{formats.instant(at)}</time>
          </span>
        </p>
      ))}
      {mayAct && (
        <div>
          <button type="button" className="button" disabled={isPending} onClick={withdraw}>
            {texts.change.withdraw}
          </button>
        </div>
      )}
    </>
  );
};

/** A sentence of the story; `to` is another incident that it names. */
type Line = { readonly text: string; readonly to?: string };

/** The steps of an incident with their authors, and why alerts joined it, oldest first. */
export const IncidentHistory = ({ incident }: { readonly incident: Incident }) => {
  const { incident: texts } = useMessages();
  const { data } = useQuery(queries.incidentHistory(incident.id));
  const linesOf = useLines(incident);
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.history}</h2>
      <ol className="timeline" aria-label={texts.history}>
        {data?.events.flatMap(step =>
          linesOf(step).map(({ text, to }, index) => (
            <HistoryStep key={`${step.eventId} ${index}`} step={step}>
              {text}{' '}
              {to !== undefined && (
                <Link to="/incidents/$incidentId" params={{ incidentId: to }} className="no-print">
                  {texts.toOther}
                </Link>
              )}
            </HistoryStep>
          )),
        )}
      </ol>
    </section>
  );
};

/** Returns a function that makes sentences of a step in the history of an incident; none for technical steps. */
const useLines = (incident: Incident): ((step: IncidentStep) => readonly Line[]) => {
  const { steps: texts } = useMessages().incident;
  const grouped = useGroupedLines(incident);
  const aboutChange = useChangeLine(incident);
  const { id } = incident;
  return step => {
    switch (step.type) {
      case 'AlertsGrouped':
        return grouped(step);
      case 'IncidentAcknowledged':
        return [{ text: texts.acknowledged }];
      case 'IncidentResolved':
        return [{ text: texts.resolved }];
      case 'ChangeAccepted':
      case 'ChangeWithdrawn':
        return [aboutChange(step)];
      case 'IncidentReopened':
        return [{ text: texts.reopened }];
      case 'IncidentAssigned':
        return [{ text: step.assignee == null ? texts.unassigned : texts.assigned(step.assignee) }];
      case 'IncidentCommented':
        return [{ text: texts.commented }];
      case 'IncidentSplit':
        return step.from === id
          ? [linked(texts.split(step.alertIds?.length ?? 0), step.newIncidentId)]
          : [linked(texts.splitFrom, step.from)];
      case 'IncidentsMerged':
        return (step.merged ?? []).map(({ incidentId, into }) =>
          into === id ? linked(texts.tookBy, incidentId) : linked(texts.mergedBy, into),
        );
      default:
        return [];
    }
  };
};

/** Returns a function that says which change a person took as the new normal, or took back. */
const useChangeLine = ({ sources }: Incident): ((step: IncidentStep) => Line) => {
  const { steps: texts } = useMessages().incident;
  const { dayYear } = useFormats();
  const nameOf = useSourceName(sources);
  const summary = useChangeSummary();
  return ({ type, sourceId, change }) => {
    const words = {
      source: nameOf(sourceId ?? 0),
      from: dayYear(change?.from ?? ''),
      what: change ? summary(change) : '',
    };
    return { text: type === 'ChangeAccepted' ? texts.accepted(words) : texts.withdrew(words) };
  };
};

const linked = (text: string, to: string | undefined): Line => ({ text, ...(to !== undefined && { to }) });

/** Returns a function that says what the service did with the alerts of an incident. */
const useGroupedLines = (incident: Incident): ((step: IncidentStep) => readonly Line[]) => {
  const { steps: texts } = useMessages().incident;
  const { dayYear } = useFormats();
  const nameOf = useSourceName(incident.sources);
  const why = useReasonWords(incident);
  const { id } = incident;
  return ({ joined = [], left = [], merged = [], split = [] }) => [
    ...joined.map(one => ({
      text: texts.joined(dayYear(dateOfAlert(one.alertId)), nameOf(sourceOfAlert(one.alertId)), why(one)),
    })),
    ...left.map(alertId => ({ text: texts.left(dayYear(dateOfAlert(alertId))) })),
    ...merged.map(({ incidentId, into }) =>
      into === id ? linked(texts.took, incidentId) : linked(texts.merged, into),
    ),
    ...split.map(({ incidentId, from }) =>
      from === id ? linked(texts.parted, incidentId) : linked(texts.partedFrom, from),
    ),
  ];
};
