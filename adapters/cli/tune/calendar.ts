import { createRequire } from 'node:module';
import Holidays from 'date-holidays';
import type { Calendar, NamedDay } from '../../../domain/calendar.js';
import { SettingsError } from '../../settings.js';

const require = createRequire(import.meta.url);
const { version } = require('date-holidays/package.json') as { readonly version: string };

/** Years after the reference year whose holidays are known too, since recent days follow it. */
const yearsAfter = 10;

/**
 * The public holidays of a country or region, from the year before the reference to ten after it: the one place
 * of the workbench that knows where holidays come from.
 * @param code          ISO 3166 country, with region where one is wanted: `FR`, `DE-NW`
 * @param referenceYear the year of the first reference day
 * @throws SettingsError when there is no such country or region
 */
export const calendarFor = (code: string, referenceYear: number): Calendar => {
  const [country = '', ...region] = code.toUpperCase().split('-');
  const source = new Holidays();
  if (!Object.hasOwn(source.getCountries(), country))
    throw new SettingsError(`--calendar: got "${code}", expected a country such as FR, or a region, DE-NW`);
  const state = region.join('-');
  if (state !== '' && !Object.hasOwn(source.getStates(country) ?? {}, state))
    throw new SettingsError(`--calendar: got "${code}", expected a region that ${country} has`);
  source.init(country, state);
  const holidays = new Map<string, NamedDay>();
  for (let year = referenceYear - 1; year <= referenceYear + yearsAfter; year += 1)
    for (const { date, name, type } of source.getHolidays(year)) {
      const day = date.slice(0, 10);
      if (type === 'public' && !holidays.has(day)) holidays.set(day, { date: day, name });
    }
  return {
    code: state === '' ? country : `${country}-${state}`,
    origin: 'given',
    evidence: null,
    library: `date-holidays ${version}`,
    holidays: [...holidays.values()].sort((a, b) => (a.date < b.date ? -1 : 1)),
  };
};
