import { minutesPerDay } from '../../domain/dates.js';
import type { Digest, QuietHours, WebhookTarget } from '../../domain/webhooks/webhookTarget.js';
import type { LocalClock } from '../imports/localClock.js';

/** When messages of a webhook wait. Times of the day are those of the source of a message. */
export type WaitingRules = Pick<WebhookTarget, 'digest' | 'quietHours'>;

const minuteMs = 60_000;

/** Minutes after midnight of `HH:MM`. */
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/**
 * First instant, not before another, at which the clock shows a time of a series. A time that the clock skips counts as
 * the instant after the skipped hour.
 * @param atMs         ms since 1970
 * @param everyMinutes distance of the series, a part of a day
 * @param minutes      one time of the series, in minutes after midnight
 */
const nextTime = (clock: LocalClock, atMs: number, everyMinutes: number, minutes: number): number => {
  const stepMs = everyMinutes * minuteMs;
  const phaseMs = minutes * minuteMs;
  for (let fromMs = atMs; ;) {
    const { to, offset } = clock.periodAt(fromMs / 1000);
    const endMs = to * 1000;
    const offsetMs = offset * 1000;
    const nextMs = Math.ceil((fromMs + offsetMs - phaseMs) / stepMs) * stepMs + phaseMs;
    if (nextMs - offsetMs < endMs) return nextMs - offsetMs;
    if (nextMs < endMs + clock.periodAt(to).offset * 1000) return endMs;
    fromMs = endMs;
  }
};

const isQuiet = ({ from, to }: QuietHours, clock: LocalClock, atMs: number): boolean => {
  const localMinutes = Math.floor(atMs / minuteMs + clock.periodAt(atMs / 1000).offset / 60);
  const time = ((localMinutes % minutesPerDay) + minutesPerDay) % minutesPerDay;
  const begin = minutesOf(from);
  const end = minutesOf(to);
  return begin < end ? time >= begin && time < end : time >= begin || time < end;
};

/** End of the quiet hours that contain an instant; the instant itself outside of them. In ms since 1970. */
export const afterQuietHours = ({ quietHours }: WaitingRules, clock: LocalClock, atMs: number): number => {
  let endMs = atMs;
  // A clock that skips a whole day shows quiet hours again right after them.
  while (quietHours && isQuiet(quietHours, clock, endMs))
    endMs = nextTime(clock, endMs, minutesPerDay, minutesOf(quietHours.to));
  return endMs;
};

const nextDigest = ({ everyMinutes, at = '00:00' }: Digest, clock: LocalClock, atMs: number): number =>
  nextTime(clock, atMs, everyMinutes, minutesOf(at));

/** Whether an alert is so critical that quiet hours do not delay it. */
export const isUrgent = ({ quietHours }: WaitingRules, criticity: number | null): boolean =>
  criticity !== null && quietHours?.minCriticity !== undefined && criticity >= quietHours.minCriticity;

/**
 * Instant from which a message may be delivered: the next digest after its event, and after the quiet hours.
 * @param atMs instant of the event, in ms since 1970
 * @returns    ms since 1970, ≥ atMs
 */
export const releaseTime = (
  rules: WaitingRules,
  clock: LocalClock,
  { atMs, criticity }: { readonly atMs: number; readonly criticity: number | null },
): number => {
  const digestMs = rules.digest ? nextDigest(rules.digest, clock, atMs) : atMs;
  return isUrgent(rules, criticity) ? digestMs : afterQuietHours(rules, clock, digestMs);
};
