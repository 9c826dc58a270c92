import { isCalendarCode } from '../../../analysis/calendar/holidays.js';
import type { LocalClock } from '../../../application/ports/localClock.js';
import { InvalidInput, shown, type InvalidInputCode } from '../../../application/requests/imports/faults.js';
import { clockOf, timeZoneFault } from '../../timeZones.js';

// Choices of a source whose possible values no schema lists.

/** @throws InvalidInput for a calendar without known holidays */
export const requireCalendar = (
  code: string | null,
  problemCode: InvalidInputCode,
  pointer: string,
): void => {
  if (code === null || isCalendarCode(code)) return;
  const detail = `got "${code}", expected a country or one of its regions whose holidays are known, such as FR or DE-NW`;
  throw new InvalidInput(problemCode, 'the calendar is unknown', [
    { code: 'calendarUnknown', pointer, detail, value: shown(code) },
  ]);
};

/** @throws InvalidInput for an unknown time zone */
export const requireTimeZone = (name: string, problemCode: InvalidInputCode, pointer: string): LocalClock => {
  const clock = clockOf(name);
  if (clock) return clock;
  throw new InvalidInput(problemCode, 'the time zone is unknown', [
    { code: 'timeZoneUnknown', pointer, detail: timeZoneFault(name), value: shown(name) },
  ]);
};
