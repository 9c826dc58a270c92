import type { Incident } from '../../api/client.js';
import { dateOfAlert, sourceOfAlert, useSourceNames } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { addDays } from '../../parts/days.js';

/** Why an alert is in an incident, as the service gives it. */
export type Joined = Pick<Incident['joinedBy'][number], 'alertId' | 'reason' | 'with' | 'label'>;

/** Returns a function that says in words why an alert joined. */
export const useReasonWords = (): ((joined: Joined) => string) => {
  const { joined: texts } = useMessages().incident;
  const formats = useFormats();
  const names = useSourceNames();
  const list = (parts: readonly string[]): string =>
    new Intl.ListFormat(formats.locale).format([...new Set(parts)]);
  return ({ alertId, reason, with: others, label }) => {
    const own = dateOfAlert(alertId);
    const dates = others.map(dateOfAlert).sort();
    const shown = (date: string): string =>
      date.slice(0, 4) === own.slice(0, 4) ? formats.dayMonth(date) : formats.dayYear(date);
    const words = (of: readonly string[]) => ({
      dates: [...new Set(of.map(shown))],
      source: list(others.map(id => names.get(sourceOfAlert(id)) ?? '').filter(name => name !== '')),
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
export const useJoinedWords = ({ joinedBy }: Pick<Incident, 'joinedBy'>): ((alertId: string) => string) => {
  const words = useReasonWords();
  return alertId => {
    const joined = joinedBy.find(one => one.alertId === alertId);
    return joined ? words(joined) : '';
  };
};
