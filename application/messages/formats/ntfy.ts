import type { Severity } from '../../../domain/incidents/incidentSentence.js';
import type { Announcement } from './announcement.js';
import { bearer, cut, fitting, type Format, type FormatInput } from './format.js';

/** Bytes of a message; ntfy makes an attachment of one with more than 4,096. */
const messageBytesMax = 3900;
const titleMax = 250;
const detailMax = 900;

const severityPriorities: Readonly<Record<Severity, number>> = { info: 3, warning: 4, critical: 5 };
/** Priority of news about something that is over, or in the hands of a person. */
const quietPriority = 2;

/** Names of emojis that ntfy shows before the title. */
const tagOf = ({ phase, kind, severity }: Announcement): string => {
  if (kind === 'test') return 'test_tube';
  if (phase === 'resolve') return 'white_check_mark';
  if (phase === 'acknowledge') return 'eyes';
  return severity === 'critical' ? 'rotating_light' : 'warning';
};

const priorityOf = ({ phase, severity }: Announcement): number =>
  phase === 'trigger' || phase === 'update' ? severityPriorities[severity] : quietPriority;

const messageOf = ({ announcements, words }: FormatInput): string => {
  const [one, ...others] = announcements;
  if (others.length === 0) {
    const { detail, blocks, sources, at } = one;
    const about = [...sources.map(name => cut(name, titleMax)), at].join(' · ');
    return [cut(detail, detailMax), ...(blocks === undefined ? [] : [blocks]), about].join('\n');
  }
  const lines = announcements.map(({ title }) => `• ${cut(title, titleMax)}`);
  return fitting(lines, messageBytesMax, words.more).join('\n');
};

/** Messages for a server of ntfy, published as JSON. */
export const ntfy: Format = {
  addressFault: ({ pathname, search }) =>
    pathname === '/' && search === ''
      ? undefined
      : `got ${pathname}${search === '' ? '' : ' and a query'}, expected the address of the server alone; the topic is an option`,
  format: input => {
    const { announcements, heading, options } = input;
    const [one, ...others] = announcements;
    const priority = options.priority ?? Math.max(...announcements.map(priorityOf));
    const isOne = others.length === 0;
    const message = {
      topic: options.topic ?? '',
      title: cut(heading, titleMax),
      message: messageOf(input),
      priority: Number(priority),
      ...(isOne && { tags: [tagOf(one)] }),
      ...(isOne && one.link !== undefined && { click: one.link }),
    };
    return { body: JSON.stringify(message), ...bearer(options.token) };
  },
};
