import { dateOf, dayNumber } from '../../../domain/dates.js';
import { presentDate } from '../presentDate.js';
import { evaluated, type Asked, type FakeAnswer } from './fakePrometheus.js';
import { hourlySamples } from './hourlySamples.js';

/** Number of the present date in UTC. */
export const today = dayNumber(await presentDate());
/** Values of 90 days, one of them lost. */
export const values = new Map(hourlySamples(90).map(([at, value]) => [at, String(value)]));
/** A value at an instant in seconds, undefined where there is none. */
export const valueAt = (at: number): string | undefined => values.get(at);
/** The answer of a server with these values. */
export const usual = (asked: Asked): FakeAnswer => evaluated(asked, valueAt);

/** Arguments of one feed of hourly values. */
export const argsOf = (
  url: string,
  name: string,
  since = dateOf(today - 85),
  ...more: readonly string[]
): string[] => [
  ...['pull', '--prometheus', url, '--query', 'power', '--name', name, '--since', since, '--step', '1h'],
  ...more,
];
