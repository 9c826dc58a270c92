import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState, type CSSProperties } from 'react';
import type { Incident, OverviewSource } from '../../api/client.js';
import { useLive } from '../../api/live.js';
import { incidentsMax, queries } from '../../api/queries.js';
import { DaySpark } from '../../charts/Chart.js';
import { alertPicture, usualPicture } from '../../charts/dayPicture.js';
import { sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { byLoss, gradedIncident, levelOf, type Graded } from '../../parts/days.js';
import { Failure } from '../../parts/Failure.js';
import { useSourcesText } from '../../parts/actions.js';
import { tileText } from './tileText.js';
import './wall.css';

/** Sources on the wall, and incidents above them. */
const sourcesMax = 24;
const incidentsShown = 3;
/** Pause between reads besides those after live changes: dates change without an event. */
const refreshMs = 60_000;
/** Age from which a read is not up to date, and the interval at which ages are looked at: a read may hang. */
const staleMs = 2 * refreshMs;
const lookMs = 10_000;

const openIncidents = {
  ...queries.incidents({ state: 'unprocessed', sort: 'severity' }),
  refetchInterval: refreshMs,
};

/** One page for a screen on a wall: incidents that wait for people, and the newest line of each source. */
export const Wall = () => {
  const { wall: texts, overview } = useMessages();
  const formats = useFormats();
  const { data, error, dataUpdatedAt } = useQuery({
    ...queries.overview(undefined),
    refetchInterval: refreshMs,
  });
  const incidents = useQuery(openIncidents);
  const readMs = Math.min(dataUpdatedAt, incidents.dataUpdatedAt);
  const isStale = useStale(readMs);
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts.title]);
  const sources = useMemo(() => shownSources(data?.sources ?? []), [data]);
  // Incidents that come later would move all tiles.
  if (!data || incidents.isPending)
    return error ? <Failure error={error} /> : <div className="skeleton" style={{ height: '60vh' }} />;
  return (
    <div className="wall" style={{ '--columns': columnsFor(sources.length) } as CSSProperties}>
      <h1 className="hidden">{texts.title}</h1>
      {isStale && (
        <p className="wall-stale" role="status">
          {texts.stale(readMs === 0 ? undefined : formats.instant(new Date(readMs).toISOString()))}
        </p>
      )}
      {sources.length === 0 ? (
        <p className="wall-quiet">{overview.emptyTitle}</p>
      ) : (
        incidents.data && (
          <WallIncidents incidents={incidents.data} isSure={!isStale && data.sources.every(isChecked)} />
        )
      )}
      <ul className="wall-sources" aria-label={texts.sources}>
        {sources.map(source => (
          <Tile key={source.id} source={source} />
        ))}
      </ul>
      {data.sources.length > sources.length && (
        <p className="muted">{texts.more(data.sources.length - sources.length)}</p>
      )}
    </div>
  );
};

/** Whether changes do not reach the wall, or what it shows is old. @param readMs time of the oldest read, 0 for none */
const useStale = (readMs: number): boolean => {
  const { connection } = useLive();
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), lookMs);
    return () => clearInterval(timer);
  }, []);
  return connection === 'waiting' || connection === 'off' || nowMs - readMs > staleMs;
};

/** The worst open alert of a source; below all others without one. */
const worstOf = ({ worst }: OverviewSource): Graded => worst ?? { criticity: -1 };

/** Whether a fault keeps the days of a source from being checked. */
const isUnchecked = ({ parked, analysis }: OverviewSource): boolean =>
  Boolean(parked) || analysis === 'failed';

/** Whether the days of a source are compared: it has no fault, and neither waits for its models nor learns them. */
const isChecked = ({ parked, analysis }: OverviewSource): boolean => !parked && analysis === 'completed';

/** The sources with the worst open alerts and those that are not checked, then the others by name. */
const shownSources = (sources: readonly OverviewSource[]): readonly OverviewSource[] =>
  [...sources]
    .sort(
      (a, b) =>
        byLoss(worstOf(a), worstOf(b)) ||
        Number(isUnchecked(b)) - Number(isUnchecked(a)) ||
        a.name.localeCompare(b.name),
    )
    .slice(0, sourcesMax);

const columnsFor = (count: number): number =>
  count <= 2 ? 1 : count <= 4 ? 2 : count <= 9 ? 3 : count <= 16 ? 4 : 6;

/** The worst open incidents in large letters; without any a quiet line, if that is sure. */
const WallIncidents = ({
  incidents,
  isSure,
}: {
  readonly incidents: readonly Incident[];
  readonly isSure: boolean;
}) => {
  const { wall: texts, incidents: words } = useMessages();
  const formats = useFormats();
  const sourcesOf = useSourcesText();
  if (incidents.length === 0)
    return (
      isSure && (
        <p className="wall-quiet" role="status">
          {texts.quiet}
        </p>
      )
    );
  return (
    <section className="wall-incidents">
      <h2>{words.count(incidents.length, incidents.length < incidentsMax ? undefined : incidents.length)}</h2>
      <ul aria-label={words.title}>
        {incidents.slice(0, incidentsShown).map(incident => (
          <li key={incident.id}>
            <span className="mark" data-level={levelOf(gradedIncident(incident))} aria-hidden />
            <span dir="auto">
              <strong>{sourcesOf(incident)}</strong> {sentenceOf(incident, formats)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** A source: its name, the line of its newest day, its open alerts and its last data. */
const Tile = ({ source }: { readonly source: OverviewSource }) => {
  const messages = useMessages();
  const formats = useFormats();
  const { id, name, lastDate, openAlerts, worst } = source;
  const { data: day } = useQuery({ ...queries.day(id, lastDate ?? ''), enabled: lastDate !== null });
  const alert = day?.alerts.find(({ state }) => state === 'open' || state === 'acknowledged');
  const picture = useMemo(() => day && (alert ? alertPicture(day, alert) : usualPicture(day)), [day, alert]);
  const level = worst ? levelOf(worst) : undefined;
  return (
    <li className="wall-tile" data-level={level}>
      <h2 dir="auto">
        <span>{name}</span>
        {worst && (
          <span className="count" data-level={level}>
            {openAlerts}
          </span>
        )}
      </h2>
      <div className="wall-line" aria-hidden>
        {picture && <DaySpark picture={picture} />}
      </div>
      <p className={isUnchecked(source) ? 'fault' : 'muted'}>
        {tileText(source, day?.day?.observedUntil, messages, formats)}
      </p>
    </li>
  );
};
