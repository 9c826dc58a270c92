import type { Alert } from '../../api/types.js';

/** Alerts of one source on days in a row, with one direction: they have one cause, most of the time. */
export type Episode = { readonly key: string; readonly alerts: readonly Alert[] };

const msPerDay = 86_400_000;
const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / msPerDay;

/** Alerts as episodes, each by date; the order of episodes is that of their first alerts in the list. */
export const episodesOf = (alerts: readonly Alert[]): Episode[] => {
  const bySource = new Map<string, Alert[]>();
  for (const alert of alerts) {
    const key = `${alert.sourceId}/${alert.kind}`;
    const list = bySource.get(key);
    if (list) list.push(alert);
    else bySource.set(key, [alert]);
  }
  const episodes = new Map<string, Alert[]>();
  for (const list of bySource.values()) {
    let current: Alert[] = [];
    for (const alert of [...list].sort((a, b) => a.date.localeCompare(b.date))) {
      const last = current.at(-1);
      const follows =
        last && last.direction === alert.direction && dayNumber(alert.date) - dayNumber(last.date) <= 1;
      if (follows) current.push(alert);
      else current = [alert];
      episodes.set(alert.id, current);
    }
  }
  return [...new Set(alerts.map(({ id }) => episodes.get(id) ?? []))].map(list => ({
    key: list[0]?.id ?? '',
    alerts: list,
  }));
};
