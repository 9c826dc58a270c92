import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { queries, dateOfAlert, sourceOfAlert, useSourceNames } from '../../api/queries.js';
import type { Incident, IncidentStep } from '../../api/client.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { HistoryStep } from '../../parts/Author.js';
import { useChangeSummary } from './AcceptChange.js';
import { useReasonWords } from './joinedWords.js';

/** A sentence of the story; `to` is another incident that it names. */
type Line = { readonly text: string; readonly to?: string };

/** Who did what with an incident, and why alerts joined it, oldest first. */
export const IncidentHistory = ({ incident: { id } }: { readonly incident: Incident }) => {
  const { incident: texts } = useMessages();
  const { data } = useQuery(queries.incidentHistory(id));
  const linesOf = useLines(id);
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
const useLines = (id: string): ((step: IncidentStep) => readonly Line[]) => {
  const { steps: texts } = useMessages().incident;
  const grouped = useGroupedLines(id);
  const aboutChange = useChangeLine();
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
const useChangeLine = (): ((step: IncidentStep) => Line) => {
  const { steps: texts } = useMessages().incident;
  const { dayYear } = useFormats();
  const names = useSourceNames();
  const summary = useChangeSummary();
  return ({ type, sourceId, change }) => {
    const words = {
      source: names.get(sourceId ?? 0) ?? '',
      from: dayYear(change?.from ?? ''),
      what: change ? summary(change) : '',
    };
    return { text: type === 'ChangeAccepted' ? texts.accepted(words) : texts.withdrew(words) };
  };
};

const linked = (text: string, to: string | undefined): Line => ({ text, ...(to !== undefined && { to }) });

/** Returns a function that says what the service did with the alerts of an incident. */
const useGroupedLines = (id: string): ((step: IncidentStep) => readonly Line[]) => {
  const { steps: texts } = useMessages().incident;
  const { dayYear } = useFormats();
  const names = useSourceNames();
  const why = useReasonWords();
  return ({ joined = [], left = [], merged = [], split = [] }) => [
    ...joined.map(one => ({
      text: texts.joined(
        dayYear(dateOfAlert(one.alertId)),
        names.get(sourceOfAlert(one.alertId)) ?? '',
        why(one),
      ),
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
