import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ProblemError } from '../../../client/index.js';
import { queries } from '../../api/queries.js';
import { api } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import type { Alert } from '../../api/client.js';
import { lossOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Faults } from '../../parts/Failure.js';
import { submits } from '../../parts/Field.js';
import { FileDrop } from '../../parts/FileDrop.js';
import { levelOf } from '../../parts/days.js';
import {
  ClockField,
  ColumnField,
  FirstLines,
  Inspection,
  useInspection,
  ImportSummary,
  type Summary,
  UploadProgress,
  mediaOf,
  useUpload,
} from './upload.js';
import './import.css';

type Imported = {
  readonly import: Summary & { readonly id: string };
  readonly days: readonly { readonly date: string; readonly status: string }[];
  readonly alerts: { readonly raised: readonly Alert[]; readonly counts: { readonly raised: number } };
};

const alertsShown = 20;

/** Whether days after tomorrow are all that was refused: they can be imported on purpose. */
const hasFutureDates = (error: unknown): boolean =>
  error instanceof ProblemError &&
  error.errors.length > 0 &&
  error.errors.every(({ code }) => code === 'futureDate');

/** Recent days of a source. */
export const ImportDays = () => {
  const { imports: texts } = useMessages();
  const { sourceId } = useParams({ from: '/sources/$sourceId/import' });
  const { asOf } = useSearch({ from: '/sources/$sourceId' });
  const mayImport = useScope('import');
  // The frame of the source says that this is the past, and leads to the present.
  if (asOf !== undefined) return null;
  if (!mayImport) return <p className="notice">{texts.mayNotImport}</p>;
  return <DaysForm sourceId={sourceId} />;
};

const DaysForm = ({ sourceId }: { readonly sourceId: number }) => {
  const { imports: texts } = useMessages();
  const client = useQueryClient();
  const { data: source } = useQuery(queries.source(sourceId));
  const [file, setFile] = useState<File>();
  const [[clock, column], setChosen] = useState<readonly [string, string]>(['', '']);
  const [other, setOther] = useState<number>();
  const upload = useUpload<Imported>();
  const [isReading, setReading] = useState(false);
  const { data: inspection, isFetching } = useInspection(file);
  const isBusy = isReading || isFetching || upload.isPending;
  const title = texts.title(source?.name ?? '');
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  if (!source) return <div className="skeleton" style={{ height: '50vh' }} />;
  const isJson = file !== undefined && mediaOf(file) === 'application/json';
  const start = async (allowFuture = false): Promise<void> => {
    if (!file || isBusy) return;
    setOther(undefined);
    setReading(true);
    // The service takes the source of a JSON body from the body.
    const named = isJson ? await sourceIn(file) : undefined;
    setReading(false);
    if (named !== undefined && named !== sourceId) return setOther(named);
    const chosen = Object.entries({ clock, valueColumn: column }).filter(([, value]) => value !== '');
    const form = isJson ? {} : { ...inspection?.parameters, ...Object.fromEntries(chosen) };
    const query = { ...form, ...(allowFuture && { allowFuture: 'true' }) };
    const sent = isJson
      ? upload.start('/v1/import/days', file, { query })
      : upload.start('/v1/import-csv/{source_id}/days', file, { path: { source_id: sourceId }, query });
    if (await sent)
      void client.invalidateQueries({
        predicate: ({ queryKey: [, keyed] }) => keyed === null || keyed === sourceId,
      });
  };
  return (
    <div className="stack import-page">
      <h1 dir="auto">{title}</h1>
      <p className="lead">{texts.daysLead}</p>
      <form className="stack" onSubmit={submits(() => void start())}>
        <FileDrop
          onFile={next => {
            setFile(next);
            setOther(undefined);
            setChosen([clock, '']);
            upload.reset();
          }}
          disabled={isReading || upload.isPending}
        />
        {file && <FirstLines file={file} />}
        {file && <Inspection file={file} column={column} />}
        {!isJson && (
          <div className="choices">
            <ColumnField seen={inspection} value={column} onChange={next => setChosen([clock, next])} />
            <ClockField zone={source.timeZone} value={clock} onChange={next => setChosen([next, column])} />
          </div>
        )}
        <div className="row">
          <button type="submit" className="button primary" disabled={!file || isBusy}>
            {texts.import}
          </button>
        </div>
        <UploadProgress sent={upload.sent} isPending={upload.isPending} onStop={upload.stop} />
        {upload.error !== undefined && <Faults error={upload.error} />}
        {other !== undefined && (
          <p role="alert" className="fault">
            {texts.otherSource(other, sourceId)}{' '}
            <Link to="/sources/$sourceId/import" params={{ sourceId: other }}>
              {texts.toOther(other)}
            </Link>
          </p>
        )}
        {hasFutureDates(upload.error) && (
          <div className="row">
            <button type="button" className="button" disabled={isBusy} onClick={() => void start(true)}>
              {texts.importFuture}
            </button>
          </div>
        )}
      </form>
      {upload.result && <Result sourceId={sourceId} imported={upload.result} />}
    </div>
  );
};

/** The source that a JSON body names; undefined when it names none, which the service refuses. */
const sourceIn = async (file: File): Promise<number | undefined> => {
  try {
    const { sourceId } = JSON.parse(await file.text()) as { readonly sourceId?: unknown };
    return typeof sourceId === 'number' ? sourceId : undefined;
  } catch {
    return undefined;
  }
};

/** The answer of an import, again when each day is checked: a long check goes on after the answer. */
const useChecked = (imported: Imported): Imported =>
  useQuery({
    queryKey: ['imported', -1, imported.import.id],
    queryFn: ({ signal }) => api.checked(imported, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  }).data ?? imported;

const Result = ({ sourceId, imported }: { readonly sourceId: number; readonly imported: Imported }) => {
  const messages = useMessages();
  const { imports: texts, kinds, alert: alertTexts } = messages;
  const formats = useFormats();
  const { alerts, days } = useChecked(imported);
  const { raised, counts } = alerts;
  const isChecked = days.every(({ status }) => status !== 'pending');
  const last = imported.days.at(-1)?.date;
  return (
    <section className="card card-pad stack">
      <h2 role="status">
        {isChecked ? texts.done(imported.import.days, counts.raised) : texts.checking(imported.import.days)}
      </h2>
      <ImportSummary summary={imported.import} />
      {raised.length > 0 && (
        <ul className="stack tight">
          {raised.slice(0, alertsShown).map(alert => (
            <li key={alert.id} className="row">
              <span className="mark" data-level={levelOf(alert)} aria-hidden />
              <Link to="/alerts/$alertId" params={{ alertId: alert.id }}>
                {formats.dayFull(alert.date)}
              </Link>
              <span className="muted">
                {[
                  kinds[alert.kind],
                  lossOf(alert, formats),
                  alertTexts.criticity(formats.percent(alert.criticity)),
                ]
                  .filter(Boolean)
                  .join(', ')}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="row">
        <Link to="/alerts" search={{ source: sourceId }} className="button">
          {texts.seeAlerts}
        </Link>
        {last !== undefined && (
          <Link
            to="/sources/$sourceId/calendar/$year"
            params={{ sourceId, year: Number(last.slice(0, 4)) }}
            search={{ day: last }}
            className="button"
          >
            {texts.seeCalendar}
          </Link>
        )}
      </p>
    </section>
  );
};
