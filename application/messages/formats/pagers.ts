import type { Phase } from '../messageWords.js';
import { type Announcement, cut, pathEnding, shownSources, type Format, bearer } from './format.js';

/** Characters of a summary and of the key of an alert that PagerDuty takes. */
const summaryMax = 1024;
const keyMax = 255;

/** A trigger with a known key is added to its incident. */
const actions: Readonly<Record<Phase, 'trigger' | 'acknowledge' | 'resolve'>> = {
  trigger: 'trigger',
  update: 'trigger',
  acknowledge: 'acknowledge',
  resolve: 'resolve',
};

/** Events for the Events API v2 of PagerDuty. */
export const pagerduty: Format = {
  addressFault: pathEnding('/v2/enqueue'),
  format: ({ announcements: [one], words, options }) => {
    const { dedupKey, phase, title, sentence, detail, sources, at, severity, kind, link, blocks } = one;
    const { criticity } = one;
    const action = actions[phase];
    const payload = {
      summary: cut(title, summaryMax),
      source: shownSources(one, words).join(', ') || 'Daybook',
      severity,
      timestamp: at,
      class: kind,
      custom_details: { sentence, detail, criticity, sources, ...(blocks !== undefined && { day: blocks }) },
    };
    const event = {
      routing_key: options.routingKey ?? '',
      event_action: action,
      dedup_key: cut(dedupKey, keyMax),
      ...(action === 'trigger' && {
        client: 'Daybook',
        ...(link !== undefined && { client_url: link, links: [{ href: link, text: words.open }] }),
        payload,
      }),
    };
    return { body: JSON.stringify(event) };
  },
};

/** Characters of annotations: receivers behind Alertmanager shorten longer ones. */
const annotationMax = 500;
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
  const { dedupKey, sentence, origin } = one;
  const { sourceId } = origin;
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
      summary: cut(title, annotationMax),
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
