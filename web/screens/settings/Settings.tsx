import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useParams, useSearch } from '@tanstack/react-router';
import { queries } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { useSourceNames } from '../../parts/useSourceNames.js';
import { ArchiveSource } from './ArchiveSource.js';
import { RelearnSource } from './RelearnSource.js';
import { SourceForm } from './SourceForm.js';
import '../import/import.css';
import './settings.css';

/** Settings of a source: people change its description, the rest never changes. */
export const Settings = () => {
  const { sourceId } = useParams({ from: '/sources/$sourceId/settings' });
  const { asOf } = useSearch({ from: '/sources/$sourceId' });
  const { settings: texts, explained } = useMessages();
  const names = useSourceNames();
  const formats = useFormats();
  const mayModel = useScope('model') && asOf === undefined;
  const { data: source, error } = useQuery(queries.source(sourceId, asOf));
  const title = texts.title(source?.name ?? '');
  useEffect(() => void (document.title = `${title} · Daybook`), [title]);
  if (!source)
    return error ? <Failure error={error} /> : <div className="skeleton" style={{ height: '40vh' }} />;
  const { reference, place } = source;
  const described: readonly (readonly [string, string])[] = [
    [texts.name, source.name],
    [
      texts.labels,
      Object.entries(source.labels)
        .map(label => label.join(': '))
        .join(', '),
    ],
    [texts.address, place?.address ?? ''],
    [texts.interval, texts.intervals[source.expectedInterval ?? ''] ?? source.expectedInterval ?? ''],
    [explained.title, source.explainedBy.map(id => names.get(id) ?? explained.source(id)).join(', ')],
  ];
  const facts: readonly (readonly [string, string])[] = [
    ...(mayModel ? [] : described.filter(([, value]) => value !== '')),
    [texts.id, String(source.id)],
    [
      texts.reference,
      texts.period(formats.dayYear(reference.from), formats.dayYear(reference.to), reference.days),
    ],
    [texts.timeZone, source.timeZone],
    [texts.slices, texts.perDay(source.activitySize)],
    [texts.aggregation, texts.aggregations[source.aggregation] ?? source.aggregation],
    [texts.interpolation, texts.interpolations[source.interpolationMethod] ?? source.interpolationMethod],
    [texts.calendar, source.calendar ?? texts.none],
    ...(source.calendarEvidence === null ? [] : [[texts.evidence, source.calendarEvidence] as const]),
    [texts.createdAt, formats.instant(source.createdAt)],
  ];
  return (
    <div className="settings-page">
      <h1 dir="auto">{title}</h1>
      {mayModel && <SourceForm key={source.id} source={source} />}
      <div>
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
