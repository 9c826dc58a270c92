import { Rejection, type Fault } from '../rejection.js';
import type { ReceiverFormat, ReceiverOption } from './receiverFormats.js';
import { mailHost, type MessageType, type WebhookTarget } from './webhookTarget.js';

type FormatRules = {
  /** Options that a receiver of this format needs, and those that it may have. */
  readonly needs: readonly ReceiverOption[];
  readonly takes: readonly ReceiverOption[];
  /** Whether one message may be about several alerts, over time or at once: those of an interval. */
  readonly digests: boolean;
  /** Whether messages may wait for the end of quiet hours. */
  readonly waits: boolean;
  /** Whether it takes messages about analyses. */
  readonly analyses: boolean;
};

const plain: FormatRules = { needs: [], takes: [], digests: true, waits: true, analyses: true };

const formatRules: Readonly<Record<ReceiverFormat, FormatRules>> = {
  cloudevents: plain,
  slack: plain,
  teams: plain,
  pagerduty: { ...plain, needs: ['routingKey'], digests: false },
  ntfy: { ...plain, needs: ['topic'], takes: ['token', 'priority'] },
  // Its own routes and intervals decide who gets a message, and when.
  alertmanager: { ...plain, takes: ['token'], digests: false, waits: false, analyses: false },
};

/** Whether a type of messages is about an analysis. */
const isOfAnalysis = (type: MessageType): boolean => type.startsWith('analysis.');

/** Types of messages of a new receiver that chose none. */
export const usualEvents = (format: ReceiverFormat, types: readonly MessageType[]): readonly MessageType[] =>
  formatRules[format].analyses ? types : types.filter(type => !isOfAnalysis(type));

const optionFaults = ({ format = 'cloudevents', options = {} }: WebhookTarget): Fault[] => {
  const { needs, takes } = formatRules[format];
  const known = [...needs, ...takes];
  const expected = known.length === 0 ? 'none' : known.join(', ');
  return [
    ...Object.keys(options)
      .filter(name => !known.some(one => one === name))
      .map(name => ({
        code: 'optionUnknown',
        pointer: `/options/${name}`,
        detail: `got ${name} for the format ${format}, expected ${expected}; null removes it`,
      })),
    ...needs
      .filter(name => options[name] === undefined)
      .map(name => ({
        code: 'optionMissing',
        pointer: `/options/${name}`,
        detail: `got none for the format ${format}, expected ${name}`,
      })),
  ];
};

const ruleFaults = ({ format = 'cloudevents', ...target }: WebhookTarget): Fault[] => {
  const { digests, waits, analyses } = formatRules[format];
  const ofAnalysis = target.events.findIndex(isOfAnalysis);
  const refused = (code: string, pointer: string, got: string): Fault => ({
    code,
    pointer,
    detail: `got ${got} for the format ${format}, expected none`,
  });
  return [
    ...(format !== 'cloudevents' && target.host === mailHost
      ? [refused('formatOfMail', '/format', 'a mail address')]
      : []),
    ...(target.digest && !digests ? [refused('digestRefused', '/digest', 'a digest')] : []),
    ...(target.grouping === 'incident' && !digests
      ? [refused('groupingRefused', '/grouping', 'alerts that stand for incidents')]
      : []),
    ...(target.quietHours && !waits ? [refused('quietHoursRefused', '/quietHours', 'quiet hours')] : []),
    ...(ofAnalysis >= 0 && !analyses
      ? [refused('eventRefused', `/events/${ofAnalysis}`, String(target.events[ofAnalysis]))]
      : []),
  ];
};

/** @throws Rejection `webhookInvalid` with all faults */
export const requireFormat = (target: WebhookTarget): void => {
  const faults = [...ruleFaults(target), ...optionFaults(target)];
  if (faults.length > 0)
    throw new Rejection('webhookInvalid', 'the format of the receiver does not fit its other fields', faults);
};
