import type { Announcement } from './announcement.js';
import { bearer, cut, pathEnding, type Format } from './format.js';

/** Characters of annotations: receivers behind Alertmanager shorten longer ones. */
const summaryMax = 500;
const descriptionMax = 3000;

/** Labels of every alert; those of a source with such a name get another one. */
const ownLabels = ['alertname', 'source', 'source_id', 'severity', 'daybook_id'] as const;

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Labels of a source with names that Prometheus takes, each once. */
const sourceLabels = (labels: Announcement['origin']['labels']): Readonly<Record<string, string>> => {
  const named = new Map<string, string>();
  const taken = (name: string): boolean => ownLabels.some(own => own === name) || named.has(name);
  for (const [key, value] of Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1))) {
    let name = key.replaceAll(/[^A-Za-z0-9_]/g, '_');
    while (taken(name)) name = `${name}_`;
    named.set(name, value);
  }
  return Object.fromEntries(named);
};

/**
 * An alert of the API v2. Its labels identify it, so they are those of its first message for ever; only its annotations
 * follow later events.
 */
const alertOf = ({ phase, at, title, detail, blocks, link, ...one }: Announcement) => {
  const { dedupKey, sourceId, sentence, origin } = one;
  const isOver = phase === 'resolve';
  return {
    labels: {
      ...sourceLabels(origin.labels),
      alertname: `Daybook${capitalised(origin.kind)}`,
      ...(origin.source !== '' && { source: origin.source }),
      ...(sourceId !== null && { source_id: String(sourceId) }),
      severity: origin.severity,
      daybook_id: dedupKey,
    },
    annotations: {
      summary: cut(title, summaryMax),
      description: cut(
        [sentence, detail, ...(blocks === undefined ? [] : [blocks])].join('\n'),
        descriptionMax,
      ),
    },
    startsAt: origin.at,
    // The clock of the service may have been set back meanwhile; Alertmanager refuses an end before the start.
    ...(isOver && { endsAt: at > origin.at ? at : origin.at }),
    ...(link !== undefined && { generatorURL: link }),
  };
};

/** Alerts for the API v2 of Alertmanager, which forgets an alert without an end after its `resolve_timeout`. */
export const alertmanager: Format = {
  addressFault: pathEnding('/api/v2/alerts'),
  format: ({ announcements, options }) => ({
    body: JSON.stringify(announcements.map(alertOf)),
    ...bearer(options.token),
  }),
};
