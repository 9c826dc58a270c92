import { useNavigate } from '@tanstack/react-router';
import type { Incident } from '../../api/client.js';
import { useIncidentChange } from '../../api/incidentMutations.js';
import { dateOfAlert, sourceOfAlert } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { useSourceName, useTold } from '../../parts/actions.js';
import { addDays } from '../../parts/days.js';
import { useIds } from '../../parts/useIds.js';

/** Why an alert is in an incident, as the service gives it. */
export type Joined = Pick<Incident['joinedBy'][number], 'alertId' | 'reason' | 'with' | 'label'>;

/** Returns a function that says in words why an alert joined. */
export const useReasonWords = ({ sources }: Pick<Incident, 'sources'>): ((joined: Joined) => string) => {
  const { joined: texts } = useMessages().incident;
  const formats = useFormats();
  const nameOf = useSourceName(sources);
  const list = (parts: readonly string[]): string =>
    new Intl.ListFormat(formats.locale).format([...new Set(parts)]);
  return ({ alertId, reason, with: others, label }) => {
    const own = dateOfAlert(alertId);
    const dates = others.map(dateOfAlert).sort();
    const shown = (date: string): string =>
      date.slice(0, 4) === own.slice(0, 4) ? formats.dayMonth(date) : formats.dayYear(date);
    const words = (of: readonly string[]) => ({
      dates: [...new Set(of.map(shown))],
      source: list(others.map(id => nameOf(sourceOfAlert(id)))),
      label: label ?? '',
      list,
    });
    if (reason !== 'neighbour') return texts[reason](words(dates));
    const [before, after] = [addDays(own, -1), addDays(own, 1)];
    if (dates.includes(before)) return texts.dayAfter(words([before]));
    return dates.includes(after) ? texts.dayBefore(words([after])) : texts.sameDay(words([own]));
  };
};

/** Returns a function that says why an alert of an incident is in it; empty for an unknown one. */
export const useJoinedWords = (
  incident: Pick<Incident, 'joinedBy' | 'sources'>,
): ((alertId: string) => string) => {
  const words = useReasonWords(incident);
  return alertId => {
    const joined = incident.joinedBy.find(one => one.alertId === alertId);
    return joined ? words(joined) : '';
  };
};

type Props = {
  readonly incident: Incident;
  readonly chosen: string;
  readonly onChoose: (alertId: string) => void;
};

/** The alerts of an incident with the reasons why they joined; one is shown, some can become one of their own. */
export const IncidentAlerts = ({ incident, chosen, onChoose }: Props) => {
  const { incident: texts } = useMessages();
  const ids = useIds(incident.alertIds.map(id => ({ id })));
  const why = useJoinedWords(incident);
  const maySplit = useScope('alert') && incident.alertIds.length > 1;
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.days}</h2>
      <ul className="incident-alerts" aria-label={texts.days}>
        {incident.alertIds.map(id => (
          <IncidentAlert
            key={id}
            id={id}
            incident={incident}
            why={why(id)}
            isChosen={id === chosen}
            onChoose={() => onChoose(id)}
            {...(maySplit && { isSelected: ids.has(id), onSelect: () => ids.toggle(id) })}
          />
        ))}
      </ul>
      {maySplit && <Split incident={incident} selected={ids.chosen.map(({ id }) => id)} onDone={ids.clear} />}
    </section>
  );
};

const IncidentAlert = ({
  id,
  incident: { sources },
  why,
  isChosen,
  onChoose,
  isSelected,
  onSelect,
}: {
  readonly id: string;
  readonly incident: Incident;
  readonly why: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly isSelected?: boolean;
  /** Absent when no alert can be selected. */
  readonly onSelect?: () => void;
}) => {
  const { incident: texts } = useMessages();
  const formats = useFormats();
  const date = formats.dayFull(dateOfAlert(id));
  const source = useSourceName(sources)(sourceOfAlert(id));
  return (
    <li>
      {onSelect && (
        <label className="alert-select no-print">
          <input
            type="checkbox"
            aria-label={texts.selectDay(date, source)}
            checked={isSelected}
            onChange={onSelect}
          />
        </label>
      )}
      <button
        type="button"
        className="button quiet"
        aria-pressed={isChosen}
        aria-label={texts.chooseDay(date, source)}
        onClick={onChoose}
      >
        {date}
      </button>
      {sources.length > 1 && <span dir="auto">{source}</span>}
      <span dir="auto" className="muted small">
        {why}
      </span>
    </li>
  );
};

/** Makes the selected alerts an incident of its own, and shows that. */
const Split = ({
  incident: { id, alertIds },
  selected,
  onDone,
}: {
  readonly incident: Incident;
  readonly selected: readonly string[];
  readonly onDone: () => void;
}) => {
  const { incident: texts } = useMessages();
  const navigate = useNavigate();
  const { run, isPending } = useTold(useIncidentChange(id));
  const split = (): void =>
    run({ change: 'split', alertIds: selected }, texts.wasSplit(selected.length), (created, isHere) => {
      onDone();
      if (isHere)
        void navigate({ to: '/incidents/$incidentId', params: { incidentId: created.id }, search: {} });
    });
  const isPart = selected.length > 0 && selected.length < alertIds.length;
  return (
    <div className="row no-print">
      <button type="button" className="button" disabled={!isPart || isPending} onClick={split}>
        {texts.split}
      </button>
      <span className="hint">{texts.splitHint}</span>
    </div>
  );
};
