import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Alert, Explanation } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { modelNameOf, planReasonOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Author } from '../../parts/Author.js';
import { Failure } from '../../parts/Failure.js';

type ChainLink = Explanation['raised'];

/** The story of an alert, from the data to what people did, read only when it is asked for. */
export const AlertChain = ({ alert }: { readonly alert: Alert }) => {
  const { chain: texts } = useMessages().alert;
  const { loading } = useMessages();
  const [open, setOpen] = useState(false);
  const { data, error } = useQuery({ ...queries.explanation(alert.id), enabled: open });
  return (
    <details
      className="card card-pad no-print chain"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{texts.title}</summary>
      {data ? <Story explanation={data} /> : error ? <Failure error={error} /> : <p>{loading}</p>}
    </details>
  );
};

const Story = ({ explanation }: { readonly explanation: Explanation }) => {
  const { chain: texts, steps, unplanned } = useMessages().alert;
  const formats = useFormats();
  const { alert, check, planning, raised, since } = explanation;
  const place = { sourceId: alert.sourceId, date: alert.date };
  return (
    <>
      <ol className="timeline" aria-label={texts.title}>
        <Step name={texts.data}>
          <DataStep explanation={explanation} />
        </Step>
        <Step name={texts.models}>
          <ModelsStep explanation={explanation} />
        </Step>
        <Step name={texts.plan}>
          <p dir="auto">{planReasonOf(planning, formats) || unplanned}</p>
          {planning.event && <Fact link={planning.event} text={texts.planned} />}
          {planning.specialDay && <Fact link={planning.specialDay} text={texts.named} />}
          {explanation.accepted.map(link => (
            <Fact key={link.eventId} link={link} text={texts.accepted} />
          ))}
          <ThenLink {...place} asOf={check.knownTo} to="calendar" />
        </Step>
        <Step name={texts.check}>
          <Fact link={check.event} text={texts.checked} />
          <Fact link={raised} text={texts.raised} />
          <ThenLink {...place} asOf={check.knownTo} to="source" />
        </Step>
        <Step name={texts.people}>
          {since.length === 0 && <p>{texts.nobody}</p>}
          {since.map(link => (
            <Fact
              key={link.eventId}
              link={link}
              text={link.type === 'AlertConfirmed' ? texts.confirmed : (steps[link.type] ?? link.type)}
            />
          ))}
        </Step>
      </ol>
      <ChainJson explanation={explanation} />
    </>
  );
};

const Step = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <li>
    <h3>{name}</h3>
    {children}
  </li>
);

/** The steps of an alert, with their authors and times. */
const Fact = ({ link: { by, byKind, at }, text }: { readonly link: ChainLink; readonly text: string }) => {
  const formats = useFormats();
  return (
    <p dir="auto">
      <Author by={by} byKind={byKind} /> {text}{' '}
      <time dateTime={at} className="muted small">
        {formats.instant(at)}
      </time>
    </p>
  );
};

/** A link to a screen of the source as it was known then. */
const ThenLink = ({
  sourceId,
  date,
  asOf,
  to,
}: {
  readonly sourceId: number;
  readonly date: string;
  readonly asOf: string;
  readonly to: 'calendar' | 'models' | 'source';
}) => {
  const { chain: texts } = useMessages().alert;
  if (to === 'calendar')
    return (
      <Link
        to="/sources/$sourceId/calendar/$year"
        params={{ sourceId, year: Number(date.slice(0, 4)) }}
        search={{ day: date, asOf }}
        className="alone"
      >
        {texts.calendarThen}
      </Link>
    );
  const path = to === 'models' ? '/sources/$sourceId/models' : '/sources/$sourceId';
  return (
    <Link to={path} params={{ sourceId }} search={{ asOf }} className="alone">
      {to === 'models' ? texts.modelsThen : texts.sourceThen}
    </Link>
  );
};

const DataStep = ({ explanation }: { readonly explanation: Explanation }) => {
  const { chain: texts } = useMessages().alert;
  const { import: brought, reference, alert } = explanation;
  const [first] = reference.events;
  return (
    <>
      {first && <Fact link={first} text={texts.reference} />}
      {brought ? <Fact link={brought.last} text={texts.imported} /> : <p>{texts.noImport}</p>}
      {brought && (
        <ThenLink
          {...{ sourceId: alert.sourceId, date: alert.date, asOf: brought.last.position, to: 'calendar' }}
        />
      )}
    </>
  );
};

const ModelsStep = ({ explanation }: { readonly explanation: Explanation }) => {
  const { chain: texts } = useMessages().alert;
  const formats = useFormats();
  const { models, plannedModel, reference, alert } = explanation;
  if (!models) return <p>{texts.noModels}</p>;
  const { request, event, origin, version } = models;
  return (
    <>
      {request && <Fact link={request} text={texts.asked} />}
      <Fact link={event} text={origin === 'automatic' ? texts.learned(version) : texts.supplied(version)} />
      {plannedModel && (
        <p dir="auto">
          {texts.model(
            modelNameOf(plannedModel, formats),
            reference.plannedModelDates.length,
            reference.leftOut.length,
          )}
        </p>
      )}
      <ThenLink
        {...{ sourceId: alert.sourceId, date: alert.date, asOf: event.position, to: 'models' as const }}
      />
    </>
  );
};

/** The answer of the service with all numbers and hashes, in a box that scrolls. */
const ChainJson = ({ explanation }: { readonly explanation: Explanation }) => {
  const { chain: texts } = useMessages().alert;
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        {texts.json}
      </button>
      {open && (
        <pre className="json" tabIndex={0} aria-label={texts.json}>
          {JSON.stringify(explanation, null, 2)}
        </pre>
      )}
    </>
  );
};
