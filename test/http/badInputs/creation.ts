import { createCsv, steady, longName, type Case, create, reference, year } from './case.js';
import { csvOf, ordinaryDays, ordinaryDay } from '../../helpers/service.js';

const creationCase = (
  name: string,
  query: string,
  at: readonly string[],
  more: Partial<Case> = {},
): Case => ({
  name: `creation by CSV: ${name}`,
  request: ['POST', `/v1/import-csv/create-source${query}`, { csv: year }],
  status: 422,
  code: 'parametersInvalid',
  at,
  ...more,
});

/** Parameters and bodies that create a source, by CSV and by JSON. */
export const creationCases: readonly Case[] = [
  creationCase('a name that another has', '?name=stage', [], { status: 409, code: 'sourceNameTaken' }),
  creationCase('a label without a value', '?name=x&label=site', ['/query/label/0 pattern']),
  creationCase('a label twice', '?name=x&label=a:1&label=a:2', ['/query/label labelRepeated']),
  creationCase('a latitude alone', '?name=x&latitude=45', ['/query/latitude coordinates']),
  creationCase('a latitude too far', '?name=x&latitude=91&longitude=0', ['/query/latitude maximum']),
  creationCase('an invalid interval', '?name=x&expectedInterval=1d', ['/query/expectedInterval interval']),
  creationCase('explained by words', '?name=x&explainedBy=oslo', ['/query/explainedBy pattern']),
  creationCase('explained by four', '?name=x&explainedBy=1,2,3,4', ['/query/explainedBy pattern']),
  creationCase('explained by one twice', '?name=x&explainedBy=1,1', ['/query/explainedBy explainedBy']),
  creationCase('explained by none that exists', '?name=x&explainedBy=98', ['/query/explainedBy explainedBy']),
  creationCase('a floor below 0', '?name=x&minChangePercent=-1', ['/query/minChangePercent minimum']),
  creationCase('a lateness of eight days', '?name=x&lateness=P8D', ['/query/lateness lateness']),
  creationCase('a unit of 17 characters', `?name=x&unit=${'u'.repeat(17)}`, ['/query/unit maxLength']),
  creationCase('a feed without a field', '?name=x&feedMeasurement=m', ['/query/feedMeasurement feed']),
  creationCase('a tag of a feed without a value', '?name=x&feedMeasurement=m&feedField=f&feedTag=room', [
    '/query/feedTag/0 pattern',
  ]),
  creationCase('allowDuplicate in words', '?name=x&allowDuplicate=maybe', ['/query/allowDuplicate type']),
  {
    name: 'creation by CSV: 13 days with three quarters of their slices',
    request: ['POST', createCsv, { csv: `${steady(13)}2023-01-14T00:00:00;1\n` }],
    status: 422,
    code: 'referenceTooShort',
    detail: /13 days of 14 with at least 75 %.*at least 14/,
  },
  {
    name: 'creation by CSV: the first row of day 367',
    request: ['POST', createCsv, { csv: csvOf(ordinaryDays('2023-01-01', 367)) }],
    status: 422,
    code: 'csvInvalid',
    at: [`${2 + 366 * 24}:1 beyondYear`],
  },
  creationCase('no name', '', ['/query required']),
  creationCase('an empty name', '?name=', ['/query/name minLength']),
  creationCase('a name of 10,000 characters', `?name=${longName}`, ['/query/name maxLength']),
  creationCase('a name of 101 characters', `?name=${longName.slice(0, 101)}`, ['/query/name maxLength']),
  creationCase('a control character in the name', '?name=a%00b', ['/query/name pattern']),
  creationCase('two names', '?name=a&name=b', ['/query/name type']),
  creationCase('activitySize 100', '?name=x&activitySize=100', ['/query/activitySize enum']),
  creationCase('activitySize 24.0', '?name=x&activitySize=24.0', ['/query/activitySize enum']),
  creationCase('activitySize empty', '?name=x&activitySize=', ['/query/activitySize enum']),
  creationCase('an unknown interpolation', '?name=x&interpolationMethod=cubic', [
    '/query/interpolationMethod enum',
  ]),
  creationCase('an unknown aggregation', '?name=x&aggregation=max', ['/query/aggregation enum']),
  ...['XX', 'fr', 'DE-XX', 'FR-', '', 'DE-NW '].map(code =>
    creationCase(`the calendar "${code}"`, `?name=x&calendar=${encodeURIComponent(code)}`, [
      '/query/calendar calendarUnknown',
    ]),
  ),
  creationCase('a long calendar', '?name=x&calendar=DE-NW-KOELN', ['/query/calendar maxLength']),
  ...['+02:00', 'Paris', 'Europe/Paris ', 'UTC+2', '', '../etc/passwd', 'Europe/Atlantis'].map(name =>
    creationCase(`the time zone "${name}"`, `?name=x&timeZone=${encodeURIComponent(name)}`, [
      '/query/timeZone timeZoneUnknown',
    ]),
  ),
  creationCase('a long time zone', `?name=x&timeZone=${'a'.repeat(65)}`, ['/query/timeZone maxLength']),
  creationCase('two time zones', '?name=x&timeZone=UTC&timeZone=GMT', ['/query/timeZone type']),
  creationCase('an unknown clock', '?name=x&clock=solar', ['/query/clock enum']),
  creationCase('two calendars', '?name=x&calendar=FR&calendar=DE', ['/query/calendar type']),
  creationCase('coverage 0.5', '?name=x&coverage=0.5', ['/query/coverage minimum']),
  creationCase('coverage 1', '?name=x&coverage=1', ['/query/coverage maximum']),
  creationCase('coverage with a comma', '?name=x&coverage=0,99', ['/query/coverage type']),
  creationCase('coverage empty', '?name=x&coverage=', ['/query/coverage type']),
  creationCase('coverage as an exponent', '?name=x&coverage=99e-2', ['/query/coverage type']),
  ...(
    [
      ['an unknown calendar', { calendar: 'XX' }, '/calendar calendarUnknown'],
      ['a calendar that is a number', { calendar: 33 }, '/calendar type'],
      ['the calendar null', { calendar: null }, '/calendar type'],
      ['an unknown time zone', { timeZone: 'Mars/Olympus' }, '/timeZone timeZoneUnknown'],
      ['a time zone that is a number', { timeZone: 2 }, '/timeZone type'],
      ['the time zone null', { timeZone: null }, '/timeZone type'],
      ['a clock, which JSON has not', { clock: 'local' }, '/clock unknownField'],
      ['coverage 0.999', { coverage: 0.999 }, '/coverage maximum'],
      ['coverage "0.99"', { coverage: '0.99' }, '/coverage type'],
    ] as const
  ).map(([name, more, at]): Case => ({
    name: `creation by JSON: ${name}`,
    request: ['POST', create, { json: { name: 'x', referenceYear: 2022, days: reference, ...more } }],
    status: 422,
    code: 'bodyInvalid',
    at: [at],
  })),
  creationCase('an unknown parameter', '?name=x&tenant=other', ['/query/tenant unknownField']),
  creationCase('an unknown parameter that JavaScript knows', '?name=x&__proto__=1', [
    '/query/__proto__ unknownField',
  ]),
  creationCase('three faults at once', '?activitySize=5&foo=1', [
    '/query required',
    '/query/foo unknownField',
    '/query/activitySize enum',
  ]),
  {
    name: 'creation by JSON: a date outside the reference year',
    request: [
      'POST',
      create,
      { json: { name: 'x', referenceYear: 2022, days: [...reference, ordinaryDay('2023-01-01')] } },
    ],
    status: 422,
    code: 'jsonInvalid',
    at: ['/days/365/date outsideYear'],
  },
  {
    name: 'creation by JSON: 13 days',
    request: ['POST', create, { json: { name: 'x', referenceYear: 2022, days: reference.slice(0, 13) } }],
    status: 422,
    code: 'referenceTooShort',
  },
  {
    name: 'creation by JSON: no referenceYear, a name too long, an invalid activitySize',
    request: ['POST', create, { json: { name: longName, days: reference, activitySize: 25 } }],
    status: 422,
    code: 'bodyInvalid',
    at: [' required', '/name maxLength', '/activitySize enum'],
  },
  {
    name: 'creation by JSON: half a year',
    request: ['POST', create, { json: { name: 'x', referenceYear: 2022.5, days: reference } }],
    status: 422,
    code: 'bodyInvalid',
    at: ['/referenceYear type'],
  },
  {
    name: 'creation by JSON: a tenant',
    request: ['POST', create, { json: { name: 'x', referenceYear: 2022, days: reference, tenant: 'other' } }],
    status: 422,
    code: 'bodyInvalid',
    at: ['/tenant unknownField'],
  },
];
