import type { Phase } from './announcement.js';
import { cut, pathEnding, type Format } from './format.js';

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
      source: sources.join(', ') || 'Daybook',
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
