import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, type CSSProperties } from 'react';
import type { OverviewSource } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Chart } from '../../charts/Chart.js';
import { sparkline } from '../../charts/dayChart.js';
import { alertPicture, usualPicture, type DayPicture } from '../../charts/dayPicture.js';
import { sentenceOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { byLoss, gradedIncident, levelOf, type Graded } from '../../parts/loss.js';
import { Failure } from '../../parts/Failure.js';
import { useSourcesText } from '../../parts/incidentActions.js';
import './wall.css';

/** Sources on the wall, and incidents above them. */
const sourcesMax = 24;
const incidentsShown = 3;
/** Pause between reads besides those after live changes: dates change without an event. */
const refreshMs = 60_000;

/** One page for a screen on a wall: incidents that wait for people, and the newest line of each source. */
export const Wall = () => {
  const { wall: texts } = useMessages();
  const { data, error } = useQuery({ ...queries.overview(undefined), refetchInterval: refreshMs });
  useEffect(() => void (document.title = `${texts.title} · Daybook`), [texts.title]);
  const sources = useMemo(() => shownSources(data?.sources ?? []), [data]);
  if (!data)
    return error ? <Failure error={error} /> : <div className="skeleton" style={{ height: '60vh' }} />;
  const columns = columnsFor(sources.length);
  const rows = Math.max(1, Math.ceil(sources.length / columns));
  return (
    <div className="wall" style={{ '--columns': columns, '--rows': rows } as CSSProperties}>
      <h1 className="hidden">{texts.title}</h1>
      <WallIncidents />
      <ul className="wall-sources" aria-label={texts.sources}>
        {sources.map(source => (
          <Tile key={source.id} source={source} rows={rows} />
        ))}
      </ul>
      {data.sources.length > sources.length && (
        <p className="muted">{texts.more(data.sources.length - sources.length)}</p>
      )}
    </div>
  );
};

/** The worst open alert of a source; below all others without one. */
const worstOf = ({ worst }: OverviewSource): Graded => worst ?? { criticity: -1 };

/** The sources with the worst open alerts, then the others by name. */
const shownSources = (sources: readonly OverviewSource[]): readonly OverviewSource[] =>
  [...sources]
    .sort((a, b) => byLoss(worstOf(a), worstOf(b)) || a.name.localeCompare(b.name))
    .slice(0, sourcesMax);

const columnsFor = (count: number): number =>
  count <= 2 ? 1 : count <= 4 ? 2 : count <= 9 ? 3 : count <= 16 ? 4 : 6;

/** The worst open incidents in large letters; without any a quiet line. */
const WallIncidents = () => {
  const { wall: texts, incidents: words } = useMessages();
  const formats = useFormats();
  const sourcesOf = useSourcesText();
  const { data } = useQuery({
    ...queries.incidents({ state: 'open', sort: 'severity' }),
    refetchInterval: refreshMs,
  });
  if (!data) return null;
  if (data.length === 0)
    return (
      <p className="wall-quiet" role="status">
        {texts.quiet}
      </p>
    );
  return (
    <section className="wall-incidents">
      <h2>{words.count(data.length, true)}</h2>
      <ul aria-label={words.title}>
        {data.slice(0, incidentsShown).map(incident => (
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
const Tile = ({ source, rows }: { readonly source: OverviewSource; readonly rows: number }) => {
  const { wall: texts, overview } = useMessages();
  const formats = useFormats();
  const { id, name, lastDate, openAlerts, worst } = source;
  const { data: day } = useQuery({ ...queries.day(id, lastDate ?? ''), enabled: lastDate !== null });
  const alert = day?.alerts.find(({ state }) => state === 'open' || state === 'acknowledged');
  const picture = useMemo(() => day && (alert ? alertPicture(day, alert) : usualPicture(day)), [day, alert]);
  const until = day?.day?.observedUntil;
  return (
    <li className="wall-tile" data-level={worst ? levelOf(worst) : undefined}>
      <h2 dir="auto">
        <span>{name}</span>
        {worst && <span className="count">{openAlerts}</span>}
      </h2>
      {picture && <Line picture={picture} rows={rows} />}
      <p className="muted">
        {lastDate === null ? overview.noData : until == null ? formats.dayFull(lastDate) : texts.until(until)}
      </p>
    </li>
  );
};

/** Share of the height of the screen that the lines of all rows have together, less for the texts of each row. */
const lineShare = 0.56;
const rowShare = 0.05;

const Line = ({ picture, rows }: { readonly picture: DayPicture; readonly rows: number }) => {
  const draw = useCallback(
    (width: number, height: number) => sparkline(picture, { width, height }),
    [picture],
  );
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const share = lineShare - rowShare * rows;
  const height = Math.max(40, (innerHeight * share) / rows / (rem / 16));
  return (
    <div aria-hidden>
      <Chart draw={draw} height={Math.round(height)} />
    </div>
  );
};
