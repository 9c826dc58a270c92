import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queries } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { settingsRoute, sourceRoute } from '../../router.js';
import '../import/import.css';

/** What a source is set to. */
export const Settings = () => {
  const { sourceId } = settingsRoute.useParams();
  const { asOf } = sourceRoute.useSearch();
  const { settings: texts } = useMessages();
  const formats = useFormats();
  const { data: source, error } = useQuery(queries.source(sourceId, asOf));
  const title = texts.title(source?.name ?? '');
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  if (!source)
    return error ? <Failure error={error} /> : <div className="skeleton" style={{ height: '40vh' }} />;
  const { reference } = source;
  const facts: readonly (readonly [string, string])[] = [
    [texts.name, source.name],
    [texts.id, String(source.id)],
    [
      texts.reference,
      texts.period(formats.dayYear(reference.from), formats.dayYear(reference.to), reference.days),
    ],
    [texts.slices, texts.perDay(source.activitySize)],
    [texts.aggregation, texts.aggregations[source.aggregation] ?? source.aggregation],
    [texts.interpolation, texts.interpolations[source.interpolationMethod] ?? source.interpolationMethod],
    [texts.calendar, source.calendar ?? texts.none],
    ...(source.calendarEvidence === null ? [] : [[texts.evidence, source.calendarEvidence] as const]),
    [texts.createdAt, formats.instant(source.createdAt)],
  ];
  return (
    <div className="import-page">
      <h1 dir="auto">{title}</h1>
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
    </div>
  );
};
