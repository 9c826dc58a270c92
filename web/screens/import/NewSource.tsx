import { useQueryClient, useQuery } from '@tanstack/react-query';
import { useRouterState, Link } from '@tanstack/react-router';
import { useEffect, useState, useCallback } from 'react';
import { useMessages } from '../../messages/messages.js';
import { AnalysisFault, Faults } from '../../parts/Failure.js';
import { SelectField, submits, TextField } from '../../parts/Field.js';
import { FileDrop } from '../../parts/FileDrop.js';
import {
  ClockField,
  ColumnField,
  FirstLines,
  Inspection,
  useInspection,
  UploadProgress,
  mediaOf,
  useUpload,
  type Upload,
  ImportSummary,
  type Summary,
} from './upload.js';
import { ArrivingSeries } from './ArrivingSeries.js';
import './import.css';
import { queries, referenceYears, useReferenceDays } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import type { Source } from '../../api/client.js';
import { Chart } from '../../charts/Chart.js';
import { observed } from '../../charts/dayPicture.js';
import { numberSuffix } from '../../charts/chartParts.js';
import { dailyMeans } from '../../charts/profileChart.js';
import { useFormats } from '../../messages/formats.js';

/** A new source from its reference year. */
export const NewSource = () => {
  const { imports: texts } = useMessages();
  const upload = useUpload<Created>();
  useEffect(() => void (document.title = `${texts.newTitle} · Daybook`), [texts.newTitle]);
  const mayImport = useScope('import');
  if (!mayImport)
    return (
      <div className="stack import-page">
        <h1>{texts.newTitle}</h1>
        <p className="notice">{texts.mayNotImport}</p>
      </div>
    );
  return (
    <div className="stack import-page">
      <h1>{texts.newTitle}</h1>
      <p className="lead">{texts.newLead}</p>
      {upload.result ? <CreatedSource created={upload.result} /> : <NewSourceForm upload={upload} />}
      {!upload.result && <ArrivingSeries />}
    </div>
  );
};

const NewSourceForm = ({ upload }: { readonly upload: Upload<Created> }) => {
  const { imports: texts, settings } = useMessages();
  const client = useQueryClient();
  const dropped = useRouterState({ select: ({ location }) => (location.state as { file?: File }).file });
  const [file, setFile] = useState(dropped instanceof File ? dropped : undefined);
  const [name, setName] = useState(file ? nameOf(file) : '');
  const [choices, setChoices] = useState<Readonly<Record<string, string>>>({});
  const { data: inspection, isFetching } = useInspection(file);
  const isJson = file !== undefined && mediaOf(file) === 'application/json';
  const choose = (next: File): void => {
    setFile(next);
    setChoices(({ valueColumn, ...all }) => all);
    upload.reset();
    if (name === '' || (file && name === nameOf(file))) setName(nameOf(next));
  };
  const create = async (): Promise<void> => {
    if (!file) return;
    // The parameters that the inspection proposes make other forms of CSV readable.
    const query: Record<string, string> = { ...inspection?.parameters, name: name.trim() };
    for (const [key, value] of Object.entries(choices)) if (value.trim() !== '') query[key] = value.trim();
    const sent = isJson
      ? upload.start('/v1/import/create-source', file)
      : upload.start('/v1/import-csv/create-source', file, { query });
    if (await sent) void client.invalidateQueries({ queryKey: ['overview'] });
  };
  const choice = (key: string, value: string): void => setChoices(all => ({ ...all, [key]: value }));
  const isReady = file !== undefined && !isFetching && !upload.isPending && (isJson || name.trim() !== '');
  return (
    <form className="stack" onSubmit={submits(() => void create())}>
      <FileDrop onFile={choose} disabled={upload.isPending} />
      {file && <FirstLines file={file} />}
      {file && <Inspection file={file} column={choices['valueColumn'] ?? ''} />}
      {!isJson && (
        <>
          <TextField
            label={settings.name}
            required
            maxLength={nameMax}
            dir="auto"
            value={name}
            onChange={setName}
          />
          <ColumnField
            seen={inspection}
            value={choices['valueColumn'] ?? ''}
            onChange={value => choice('valueColumn', value)}
          />
          <SourceChoices choices={choices} onChange={choice} />
        </>
      )}
      <div className="row">
        <button type="submit" className="button primary" disabled={!isReady}>
          {texts.create}
        </button>
      </div>
      <UploadProgress sent={upload.sent} isPending={upload.isPending} onStop={upload.stop} />
      {upload.error !== undefined && <Faults error={upload.error} />}
    </form>
  );
};

const nameMax = 100;

/** Name of a source from the name of its file, without an ending in “reference”. */
const nameOf = (file: File): string => {
  const whole = file.name.replace(/\.[^.]*$/, '');
  return (whole.replace(/[._-]?reference$/i, '') || whole).replaceAll(/[_.]+/g, ' ').slice(0, nameMax);
};

const sizes = [4, 8, 12, 24, 48, 72, 144];

/** Names of time zones after UTC, which is the default; that of the reader comes first. */
const zones = (): readonly string[] => {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [...new Set([own, ...Intl.supportedValuesOf('timeZone')])].filter(zone => zone !== 'UTC');
};

const unitMax = 16;

/** Optional parameters of a new source from CSV: slices, gaps, aggregation, time zone, public holidays and unit. */
const SourceChoices = ({
  choices,
  onChange,
}: {
  readonly choices: Readonly<Record<string, string>>;
  /** Called with the name of a parameter and its value, empty for the default. */
  readonly onChange: (name: string, value: string) => void;
}) => {
  const { imports: texts, settings } = useMessages();
  const slices = sizes.map(size => [String(size), settings.perDay(size)] as const);
  const choice = (name: string, label: string, options: readonly (readonly [string, string])[]) => (
    <SelectField
      label={label}
      value={choices[name] ?? ''}
      options={options}
      onChange={value => onChange(name, value)}
    />
  );
  return (
    <div className="choices">
      {choice('activitySize', texts.activitySize, [['', texts.automatic], ...slices])}
      {choice('interpolationMethod', settings.interpolation, [
        ['', texts.zero],
        ['linear', texts.linear],
      ])}
      {choice('aggregation', settings.aggregation, [
        ['', texts.mean],
        ['sum', texts.sum],
        ['counter', texts.counter],
      ])}
      {choice('timeZone', settings.timeZone, [['', 'UTC'], ...zones().map(zone => [zone, zone] as const)])}
      <ClockField
        zone={choices['timeZone'] || 'UTC'}
        value={choices['clock'] ?? ''}
        onChange={value => onChange('clock', value)}
      />
      <TextField
        label={settings.calendar}
        placeholder={texts.inferred}
        maxLength={6}
        value={choices['calendar'] ?? ''}
        onChange={value => onChange('calendar', value.toUpperCase())}
      />
      <TextField
        label={settings.unit}
        maxLength={unitMax}
        dir="auto"
        value={choices['unit'] ?? ''}
        onChange={value => onChange('unit', value)}
      />
    </div>
  );
};

type Created = { readonly source: Source; readonly import: Summary };

/** The source that was created, and the progress of its analysis. */
const CreatedSource = ({ created }: { readonly created: Created }) => {
  const { imports: texts } = useMessages();
  const { id } = created.source;
  const { data: source = created.source } = useQuery({
    ...queries.source(id),
    refetchInterval: query =>
      query.state.data?.analysis.status === 'completed' || query.state.data?.analysis.status === 'failed'
        ? false
        : 1000,
  });
  const { status } = source.analysis;
  return (
    <section className="card card-pad stack">
      <h2 dir="auto">{texts.created(source.name)}</h2>
      <ImportSummary summary={created.import} />
      <DataPicture source={source} />
      <div role="status" className="upload">
        {status === 'completed' ? (
          <strong>{texts.learned(source.counts.models)}</strong>
        ) : status === 'failed' ? (
          <span className="fault">
            <AnalysisFault analysis={source.analysis} />
          </span>
        ) : (
          <>
            <span>{texts.learning}</span>
            <progress className="progress" aria-label={texts.learning} />
          </>
        )}
      </div>
      {status === 'completed' && (
        <p className="row">
          <Link to="/sources/$sourceId/import" params={{ sourceId: id }} className="button primary">
            {texts.importRecent}
          </Link>
          <Link to="/sources/$sourceId/models" params={{ sourceId: id }} className="button">
            {texts.seeModels}
          </Link>
        </p>
      )}
    </section>
  );
};

const pictureHeight = 140;

/** The reference of a source: the mean of each day. */
const DataPicture = ({ source }: { readonly source: Source }) => {
  const { imports: texts } = useMessages();
  const { compact } = useFormats();
  const suffix = numberSuffix(source);
  const days = useReferenceDays(source);
  const draw = useCallback(
    (width: number, height: number, scale: number) =>
      dailyMeans(
        (days ?? []).map(({ date, activity, gaps }) => {
          const values = observed(activity, gaps).filter(value => value !== null);
          const sum = values.reduce((total, value) => total + value, 0);
          return { date, mean: values.length === 0 ? null : sum / values.length };
        }),
        { width, height, scale, compact, suffix },
      ),
    [days, compact, suffix],
  );
  if (!days || days.length === 0) return null;
  return (
    <figure aria-label={texts.picture(referenceYears(source).join('–'))}>
      <Chart draw={draw} height={pictureHeight} />
    </figure>
  );
};
