import type { Alert } from '../../api/types.js';

/** Alerts of consecutive dates of a source: they have one cause, most of the time. */
export type Episode = { readonly key: string; readonly alerts: readonly Alert[] };

/** Alerts as episodes, each by date; the order of episodes is that of their first alerts in the list. */
export const episodesOf = (alerts: readonly Alert[]): Episode[] => {
  const byEpisode = new Map<string, Alert[]>();
  for (const alert of alerts) {
    const key = alert.episode ?? alert.id;
    const list = byEpisode.get(key);
    if (list) list.push(alert);
    else byEpisode.set(key, [alert]);
  }
  return [...byEpisode].map(([key, list]) => ({
    key,
    alerts: list.sort((a, b) => a.date.localeCompare(b.date)),
  }));
};
