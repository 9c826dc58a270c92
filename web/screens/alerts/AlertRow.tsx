import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { useScope } from '../../api/session.js';
import type { Alert } from '../../api/types.js';
import { pictureOfDetails } from '../../api/pictures.js';
import { queries } from '../../api/queries.js';
import { Chart } from '../../charts/Chart.js';
import { sparkline } from '../../charts/dayChart.js';
import type { DayPicture } from '../../charts/dayPicture.js';
import { levelOf } from '../overview/days.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { resolvable } from '../../parts/useAlertActions.js';
import { sentenceOf } from '../alert/sentence.js';

const sparkWidth = 132;
const sparkHeight = 44;

/** One alert: how bad, what, where, when, what it looks like, and what can be done at once. */
export const AlertRow = ({
  alert,
  episode,
  first,
  sourceName,
  selected,
  onSelect,
  onAcknowledge,
  onResolve,
  onReopen,
}: {
  readonly alert: Alert;
  readonly episode: readonly Alert[];
  readonly first: boolean;
  readonly sourceName: string;
  readonly selected: boolean;
  readonly onSelect: () => void;
  readonly onAcknowledge: () => void;
  readonly onResolve: () => void;
  readonly onReopen: () => void;
}) => {
  const messages = useMessages();
  const { alerts: texts, states, kinds } = messages;
  const formats = useFormats();
  const mayAct = useScope('alert');
  const { data: day } = useQuery(queries.day(alert.sourceId, alert.date));
  const picture = useMemo(() => day && pictureOfDetails(day, alert.slices), [day, alert.slices]);
  const sentence = sentenceOf(alert, day?.plannedModel, messages, formats);
  const better = day?.betterModel ?? day?.closestModel;
  const { state } = alert;
  return (
    <div className="alert-row" data-state={state} data-selected={selected || undefined}>
      <input
        type="checkbox"
        aria-label={texts.select(sentence)}
        checked={selected}
        onChange={onSelect}
        className="alert-check"
      />
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
        <p className="muted small alert-meta">
          <span dir="auto" className="alert-source">
            {sourceName}
          </span>
          <span>{formats.dayFull(alert.date)}</span>
          <span>{messages.alert.criticity(formats.percent(alert.criticity))}</span>
          {alert.kind !== 'activity' && <span>{kinds[alert.kind]}</span>}
          {state !== 'open' && <span className="badge">{states[state]}</span>}
          {better && better.id !== alert.plannedModelId && (
            <span dir="auto">
              {alert.looksLikeAnomaly ? texts.anomalyLike(better.name) : texts.looksLike(better.name)}
            </span>
          )}
          {first && episode.length > 1 && (
            <span className="badge">
              {texts.episode(
                episode.length,
                formats.dayYear(episode[0]?.date ?? ''),
                formats.dayYear(episode.at(-1)?.date ?? ''),
              )}
            </span>
          )}
        </p>
      </div>
      <div className="alert-spark" aria-hidden>
        {picture && <Spark picture={picture} />}
      </div>
      {mayAct && (
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
      )}
    </div>
  );
};

const Spark = ({ picture }: { readonly picture: DayPicture }) => {
  const draw = useCallback((width: number) => sparkline(picture, { width, height: sparkHeight }), [picture]);
  return <Chart draw={draw} height={sparkHeight} width={sparkWidth} />;
};
