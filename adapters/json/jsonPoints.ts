import { faultsMax } from '../../domain/rejection.js';
import { isDayNumber, secondsPerDay, yearMax } from '../../domain/dates.js';
import {
  InvalidInput,
  shown,
  type InputFault,
  futureDateFault,
  lastAccepted,
  type FutureRule,
} from '../../application/requests/imports/faults.js';
import { plural } from '../../domain/text.js';
import { valueMax } from '../../application/requests/imports/assembleDays.js';
import {
  bitSet,
  pointCollector,
  pointsMax,
  type PointList,
} from '../../application/requests/points/pointList.js';
import { skippedDateText, type LocalClock } from '../../application/ports/localClock.js';
import { fieldFaults, parseTimestamp } from '../csv/fields.js';
import type { StampClock } from '../csv/readings.js';
import { readDaysBody } from './daysBody.js';
import { invalid, shownJson } from './dayFaults.js';
import { daysBodyLimits } from './jsonBytes.js';

const limits = { ...daysBodyLimits, elementBytesMax: 1024, list: 'points' } as const;

/** How the times of points are read. */
export type PointRule = {
  readonly clock: LocalClock;
  readonly stamps: StampClock;
  readonly future: FutureRule;
};

/** Points of a JSON body, checked but for the clock of their source. */
type CollectedPoints = {
  /** The document with empty `points`. */
  readonly envelope: unknown;
  /** @throws InvalidInput `jsonInvalid` with all faults */
  readonly finish: (rule: PointRule) => Promise<PointList>;
};

const hasOffset = (text: string): boolean => /(?:Z|[+\-\u2212]\d\d(?::?\d\d)?)$/.test(text.slice(19));

/** A local time in seconds as text. */
const localText = (at: number): string => new Date(at * 1000).toISOString().replace(/(?:\.000)?Z$/, '');

/** The fault of a point that is no object of `at` and `value`; undefined for none. */
const shapeFault = (point: unknown, pointer: string): InputFault | undefined => {
  const expected = 'expected {"at": instant, "value": number}';
  if (typeof point !== 'object' || point === null || Array.isArray(point))
    return { code: 'pointFormat', detail: `got ${shownJson(point)}, ${expected}`, pointer };
  const other = Object.keys(point).find(key => key !== 'at' && key !== 'value');
  return other === undefined
    ? undefined
    : { code: 'unknownField', detail: `got the field ${shown(other)}, ${expected}`, pointer };
};

const valueFault = (value: unknown, pointer: string): InputFault | undefined =>
  typeof value === 'number' && Math.abs(value) <= valueMax
    ? undefined
    : {
        code: 'pointValue',
        detail: `got ${shownJson(value)}, expected a number of a magnitude of at most ${valueMax}`,
        pointer: `${pointer}/value`,
      };

/** The warning for points by a local clock that needed a decision; none without any. */
const localWarnings = (
  { repeated, skipped }: { readonly repeated: number; readonly skipped: number },
  { timeZone }: LocalClock,
): PointList['warnings'] => {
  const parts = [
    ...(repeated > 0
      ? [`${plural(repeated, 'point')} in hours that occur twice, taken for the first time of them`]
      : []),
    ...(skipped > 0 ? [`${plural(skipped, 'point')} in hours that are skipped, left out`] : []),
  ];
  return parts.length === 0
    ? []
    : [{ code: 'localStamps', detail: `the clock of ${timeZone}: ${parts.join('; ')}` }];
};

/** Seconds of a time, or its fault. */
const timeOf = (at: unknown, pointer: string): number | InputFault => {
  const read = typeof at === 'string' ? parseTimestamp(at) : 'timestampFormat';
  if (typeof read === 'number') return read;
  const zone = read === 'timestampFormat' ? ' and Z or an offset' : '';
  const detail = `got ${shownJson(at)}, ${fieldFaults[read]}${zone}`;
  return { code: read, detail, pointer: `${pointer}/at` };
};

/**
 * Reads a JSON body with points in any order and checks each as it comes. Only the numbers stay in memory.
 * @throws InvalidInput as soon as there are as many faults as an answer may have; all errors of `readDaysBody`
 */
export const collectJsonPoints = async (body: AsyncIterable<Buffer>): Promise<CollectedPoints> => {
  const faults: InputFault[] = [];
  const collected = pointCollector();
  /** Points without an offset, and the first of their times as they were written. */
  const texts = new Map<number, string>();
  const local = bitSet();
  const add = (fault: InputFault): void => {
    faults.push(fault);
    if (faults.length === faultsMax) throw invalid(faults, 'points');
  };
  const { envelope, elements } = await readDaysBody(
    body,
    (point, index) => {
      const pointer = `/points/${index}`;
      if (index >= pointsMax) {
        const detail = `got more than ${pointsMax} points, expected at most as many in a body`;
        throw invalid([...faults, { code: 'tooManyPoints', detail, pointer }], 'points');
      }
      const shape = shapeFault(point, pointer);
      if (shape) return add(shape);
      const { at, value } = point as { readonly at?: unknown; readonly value?: unknown };
      const time = timeOf(at, pointer);
      if (typeof time !== 'number') return add(time);
      const fault = valueFault(value, pointer);
      if (fault) return add(fault);
      if (!hasOffset(String(at))) {
        local.add(index);
        if (texts.size < faultsMax) texts.set(index, String(at));
      }
      // Adding 0 turns −0 into 0, as stored values are.
      collected.add(time, Number(value) + 0);
    },
    limits,
  );
  const finish = async ({ clock, stamps, future }: PointRule): Promise<PointList> => {
    if (faults.length > 0) throw invalid(faults, 'points');
    if (elements === 0) {
      const detail = 'got no point, expected at least one';
      throw new InvalidInput('jsonInvalid', detail, [{ code: 'pointsEmpty', detail, pointer: '/points' }]);
    }
    const dayLast = lastAccepted(future);
    const count = { repeated: 0, skipped: 0 };
    const list = await collected.finish((at, index) => {
      const isLocal = local.has(index);
      const pointer = `/points/${index}/at`;
      const text = (): string => shown(texts.get(index) ?? localText(at));
      if (isLocal && stamps === 'utc') {
        const detail = `got ${text()}, expected an instant with Z or an offset, or clock=local`;
        add({ code: 'timestampOffset', detail, pointer });
      }
      const [instant, second] = isLocal ? clock.instantsOf(at) : [at];
      if (second !== undefined) count.repeated += 1;
      if (instant === undefined) {
        count.skipped += 1;
        const detail = skippedDateText(clock, Math.floor(at / secondsPerDay));
        if (detail !== undefined) add({ code: 'skippedDate', detail, pointer, value: text() });
        return undefined;
      }
      const day = Math.floor((instant + clock.periodAt(instant).offset) / secondsPerDay);
      if (!isDayNumber(day))
        add({
          code: 'timestampCalendar',
          detail: `got ${text()}, expected a date from 0001 to ${yearMax} by the clock of ${clock.timeZone}`,
          pointer,
          value: text(),
        });
      else if (day > dayLast)
        add(futureDateFault({ text: new Date(instant * 1000).toISOString(), pointer }, dayLast, clock));
      return instant;
    });
    if (faults.length > 0) throw invalid(faults, 'points');
    return { ...list, invalid: 'jsonInvalid', lines: 0, warnings: localWarnings(count, clock), notes: [] };
  };
  return { envelope, finish };
};
