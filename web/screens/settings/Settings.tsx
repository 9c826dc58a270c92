import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useParams, useSearch, useNavigate } from '@tanstack/react-router';
import { queries } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { fieldsUnlessTyped, hereNow, whenDone } from '../../parts/drafts.js';
import { Failure, Faults, isNameTaken, useFailedWords } from '../../parts/Failure.js';
import { descriptionForms, descriptionFields, type DescriptionField } from './descriptionForms.js';
import { mergePatch } from './mergePatch.js';
import '../import/import.css';
import './settings.css';
import { useRelearn, useArchive, useSourceChange, type SourcePatch } from '../../api/mutations.js';
import type { Source } from '../../api/client.js';
import { AskingButton } from '../../parts/Question.js';
import { useToast } from '../../parts/Toasts.js';
import { submits } from '../../parts/Field.js';
import { useSourceName } from '../../parts/actions.js';

/** Settings of a source: people change its description, the rest never changes. */
export const Settings = () => {
  const { sourceId } = useParams({ from: '/sources/$sourceId/settings' });
  const { asOf } = useSearch({ from: '/sources/$sourceId' });
  const messages = useMessages();
  const { settings: texts } = messages;
  const nameOf = useSourceName();
  const formats = useFormats();
  const mayModel = useScope('model') && asOf === undefined;
  const { data: source, error } = useQuery(queries.source(sourceId, asOf));
  const title = texts.title(source?.name ?? '');
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  if (!source)
    return error ? <Failure error={error} /> : <div className="skeleton" style={{ height: '40vh' }} />;
  const { reference } = source;
  const described = descriptionFields.flatMap(field =>
    descriptionForms[field].words(source, { messages, nameOf }),
  );
  const facts: readonly (readonly [string, string])[] = [
    ...(mayModel ? [] : described.filter(([, value]) => value !== '')),
    [texts.id, String(source.id)],
    [
      texts.reference,
      reference.days === 0
        ? texts.noReference
        : texts.period(formats.dayYear(reference.from), formats.dayYear(reference.to), reference.days),
    ],
    [texts.timeZone, source.timeZone],
    [texts.slices, texts.perDay(source.activitySize)],
    [texts.aggregation, texts.aggregations[source.aggregation] ?? source.aggregation],
    [texts.interpolation, texts.interpolations[source.interpolationMethod] ?? source.interpolationMethod],
    [texts.calendar, source.calendar ?? texts.none],
    ...(source.calendarEvidence === null
      ? []
      : [[texts.evidence, messages.models.evidence(source.calendarEvidence)] as const]),
    ...(source.analysis.cycles ?? []).map(cycle => [texts.cycle, sentenceOf(cycle, formats)] as const),
    [texts.createdAt, formats.instant(source.createdAt)],
  ];
  return (
    <div className="stack settings-page">
      <h1 dir="auto">{title}</h1>
      {mayModel && <SourceForm source={source} />}
      <div className="stack">
        <section className="card card-pad">
          <dl className="facts">
            {facts.map(([name, value]) => (
              <div key={name} style={{ display: 'contents' }}>
                <dt>{name}</dt>
                <dd dir="auto">{value}</dd>
              </div>
            ))}
          </dl>
        </section>
        {mayModel && <RelearnSource source={source} />}
        {mayModel && <ArchiveSource source={source} />}
      </div>
    </div>
  );
};

/** Proposes a new source that is learned from the last year of recent days; nothing without a reason for it. */
const RelearnSource = ({ source: { id, name, relearnProposed: proposed } }: { readonly source: Source }) => {
  const { relearn: texts } = useMessages();
  const formats = useFormats();
  const tell = useToast();
  const navigate = useNavigate();
  const { mutateAsync, isPending, error } = useRelearn(id);
  if (!proposed) return null;
  const relearn = (): void => {
    const isHere = hereNow();
    whenDone(
      mutateAsync(),
      ({ source }) => {
        if (isHere()) void navigate({ to: '/sources/$sourceId/models', params: { sourceId: source.id } });
        tell(texts.done(name, source.id));
      },
      () => {},
    );
  };
  return (
    <section className="card card-pad stack tight" aria-labelledby={`relearn-${id}`}>
      <h2 id={`relearn-${id}`}>{texts.title}</h2>
      <p>{texts.reasons[proposed.reason](formats.dayYear(proposed.since))}</p>
      <p className="muted">{proposed.possible ? texts.hint : texts.notYet}</p>
      {error && <Faults error={error} />}
      <div>
        <button type="button" className="button" disabled={isPending || !proposed.possible} onClick={relearn}>
          {texts.title}
        </button>
      </div>
    </section>
  );
};

/** Archives a source after a confirmation; the message about it has an undo. */
const ArchiveSource = ({ source: { id, name } }: { readonly source: Source }) => {
  const { settings: texts } = useMessages();
  const failed = useFailedWords();
  const tell = useToast();
  const navigate = useNavigate();
  const { mutateAsync, isPending, error, reset } = useArchive(id);
  const restore = (): void =>
    whenDone(
      mutateAsync('restore'),
      () => tell(texts.restored(name)),
      reason => tell(failed(reason)),
    );
  const archive = (close: () => void): void => {
    const isHere = hereNow();
    whenDone(
      mutateAsync('archive'),
      () => {
        close();
        if (isHere()) void navigate({ to: '/' });
        tell(texts.archived(name), restore);
      },
      () => {},
    );
  };
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.archiveTitle}</h2>
      <p className="muted">{texts.archiveHint}</p>
      <div>
        <AskingButton
          text={texts.archive}
          question={texts.archiveQuestion(name)}
          hint={texts.archiveHint}
          yes={texts.archiveTitle}
          isPending={isPending}
          error={error}
          forget={reset}
          onYes={archive}
        />
      </div>
    </section>
  );
};

/** Contents of the form fields until they are sent. */
type Typed = Readonly<Record<DescriptionField, unknown>>;

const eachField = <Result,>(valueOf: (field: DescriptionField) => unknown): Result =>
  Object.fromEntries(descriptionFields.map(field => [field, valueOf(field)])) as Result;

const typedOf = (source: Source): Typed => eachField(field => descriptionForms[field].typed(source));

const valueOf = (typed: Typed): SourcePatch =>
  eachField(field => descriptionForms[field].value(typed[field]));

/** The description of a source. */
const SourceForm = ({ source }: { readonly source: Source }) => {
  const { settings: texts, save } = useMessages();
  const tell = useToast();
  const { mutateAsync, isPending, error } = useSourceChange(source.id);
  // The description that the person began with: another person may change other parts of it meanwhile.
  const [opened, setOpened] = useState(() => typedOf(source));
  const [typed, setTyped] = useState(opened);
  const send = (allowDuplicate: boolean): void =>
    whenDone(
      mutateAsync({
        patch: mergePatch(valueOf(opened), valueOf(typed)),
        explainedBy: valueOf(opened).explainedBy ?? [],
        allowDuplicate,
      }),
      saved => {
        setOpened(typedOf(saved));
        setTyped(fieldsUnlessTyped(typed, typedOf(saved)));
        tell(texts.saved(saved.name));
      },
      () => {},
    );
  return (
    <form className="card card-pad stack" onSubmit={submits(() => send(false))}>
      {descriptionFields.map(field => {
        const { Inputs } = descriptionForms[field];
        return (
          <Inputs
            key={field}
            source={source}
            typed={typed[field]}
            onChange={next => setTyped(now => ({ ...now, [field]: next }))}
          />
        );
      })}
      {error && <Faults error={error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={isPending || !valueOf(typed).name}>
          {save}
        </button>
        {isNameTaken(error) && (
          <button type="button" className="button" disabled={isPending} onClick={() => send(true)}>
            {texts.allowDuplicate}
          </button>
        )}
      </div>
    </form>
  );
};
