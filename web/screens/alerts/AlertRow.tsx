import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { useScope } from '../../api/session.js';
import type { Alert } from '../../api/client.js';
import { pictureOfDetails, type DayPicture } from '../../charts/dayPicture.js';
import { queries } from '../../api/queries.js';
import { Chart } from '../../charts/Chart.js';
import { sparkline } from '../../charts/dayChart.js';
import { levelOf } from '../../parts/days.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { resolvable } from '../../parts/alertActions.js';
import { useMediaQuery, wall } from '../../parts/useMediaQuery.js';
import { sentenceOf } from '../../parts/alertSentence.js';

/** Widths of a small chart; a wall display has room. */
const sparkWidth = 132;
const sparkWidthWall = 336;
const sparkHeight = 44;

type Shown = {
  readonly alert: Alert;
  readonly incident: readonly Alert[];
  /** Whether the alert is the first of its incident. */
  readonly first: boolean;
  readonly sourceName: string;
};

type Acts = {
  readonly onAcknowledge: () => void;
  readonly onResolve: () => void;
  readonly onReopen: () => void;
};

/** One alert as a row: criticity, sentence, source, date, a small chart, and buttons. */
export const AlertRow = ({
  selected,
  onSelect,
  ...row
}: Shown & Acts & { readonly selected: boolean; readonly onSelect: () => void }) => {
  const messages = useMessages();
  const formats = useFormats();
  const mayAct = useScope('alert');
  const { alert } = row;
  const { state } = alert;
  const { data: day } = useQuery(queries.day(alert.sourceId, alert.date));
  const picture = useMemo(() => day && pictureOfDetails(day, alert.slices), [day, alert.slices]);
  const sentence = sentenceOf(alert, formats);
  return (
    <div className="alert-row" data-state={state} data-selected={selected || undefined}>
      <label className="alert-check">
        <input
          type="checkbox"
          aria-label={messages.alerts.select(sentence)}
          checked={selected}
          onChange={onSelect}
        />
      </label>
      <span
        className="mark"
        data-level={levelOf(alert.criticity)}
        data-done={state === 'resolved' || state === 'invalidated' || undefined}
        aria-hidden
      />
      <div className="alert-text">
        <Link to="/alerts/$alertId" params={{ alertId: alert.id }} className="alert-link" dir="auto">
          {sentence}
        </Link>
        <AlertFacts {...row} better={day?.betterModel ?? day?.closestModel} />
      </div>
      <div className="alert-spark" aria-hidden>
        {picture && <Spark picture={picture} />}
      </div>
      {mayAct && <AlertButtons {...row} />}
    </div>
  );
};

/** Source, date, criticity, state, and a model that fits better than the planned one. */
const AlertFacts = ({
  alert,
  incident,
  first,
  sourceName,
  better,
}: Shown & { readonly better: { readonly id: number; readonly name: string } | null | undefined }) => {
  const { alerts: texts, states, kinds, alert: alertTexts } = useMessages();
  const formats = useFormats();
  const { state, kind } = alert;
  const [begin = '', end = ''] = [incident[0]?.date, incident.at(-1)?.date];
  return (
    <p className="muted small alert-meta">
      <span dir="auto" className="alert-source" title={sourceName}>
        {sourceName}
      </span>
      <span>{formats.dayFull(alert.date)}</span>
      <span>{alertTexts.criticity(formats.percent(alert.criticity))}</span>
      {kind !== 'activity' && <span>{kinds[kind]}</span>}
      {state !== 'open' && <span className="badge">{states[state]}</span>}
      {better && kind === 'activity' && better.id !== alert.plannedModelId && (
        <span dir="auto">
          {alert.looksLikeAnomaly ? texts.anomalyLike(better.name) : texts.looksLike(better.name)}
        </span>
      )}
      {first && incident.length > 1 && (
        <span className="badge">
          {texts.incident(incident.length, formats.dayYear(begin), formats.dayYear(end))}
        </span>
      )}
    </p>
  );
};

const AlertButtons = ({
  alert: { state },
  onAcknowledge,
  onResolve,
  onReopen,
}: Acts & { readonly alert: Alert }) => {
  const { alerts: texts } = useMessages();
  return (
    <div className="alert-actions">
      {state === 'open' && (
        <button className="button" onClick={onAcknowledge}>
          {texts.acknowledge}
        </button>
      )}
      {resolvable.includes(state) && (
        <button className="button" onClick={onResolve}>
          {texts.resolve}
        </button>
      )}
      {state === 'resolved' && (
        <button className="button" onClick={onReopen}>
          {texts.reopen}
        </button>
      )}
    </div>
  );
};

const Spark = ({ picture }: { readonly picture: DayPicture }) => {
  const draw = useCallback(
    (width: number, height: number) => sparkline(picture, { width, height }),
    [picture],
  );
  const isWall = useMediaQuery(wall);
  return <Chart draw={draw} height={sparkHeight} width={isWall ? sparkWidthWall : sparkWidth} />;
};
