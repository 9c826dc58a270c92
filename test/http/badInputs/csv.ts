import { days, type Case, steady } from './case.js';
import { dateOf } from '../../../domain/dates.js';

const csvCase = (
  name: string,
  csv: string | Buffer,
  at: readonly string[],
  more: Partial<Case> = {},
): Case => ({
  name: `CSV: ${name}`,
  request: ['POST', days, { csv }],
  status: 422,
  code: 'csvInvalid',
  at,
  ...more,
});

/** Bodies and parameters of imports by CSV. */
export const csvCases: readonly Case[] = [
  csvCase('a decimal point', 'date;value\n2023-01-01T00:00:00;1\n2023-01-01T01:00:00;1.5\n', [
    '3:2 decimalPoint',
  ]),
  csvCase('a point and a comma', '2023-01-01T00:00:00;1.234,5\n', ['1:2 decimalPoint']),
  csvCase('unsorted', '2023-01-01T01:00:00;1\n2023-01-01T00:00:00;1\n', ['2:1 timeGoesBack']),
  {
    ...csvCase('unsorted, naming both lines', 'a;b\n2023-01-01T01:00:00;1\n\n', []),
    request: [
      'POST',
      days,
      { csv: 'a;b\n2023-01-02T00:00:00;1\n2023-01-03T00:00:00;1\n2023-01-01T00:00:00;1\n' },
    ],
    at: ['4:1 timeGoesBack'],
  },
  csvCase('an offset of a day', '2023-01-01T00:00:00+24:00;1\n', ['1:1 timestampOffset']),
  csvCase('an offset without hours', '2023-01-01T00:00:00+;1\n', ['1:1 timestampFormat']),
  csvCase('an instant before the year 1', '0001-01-01T00:00:00+02:00;1\n', ['1:1 timestampCalendar']),
  csvCase('the name of a zone', '2023-01-01T00:00:00 Europe/Paris;1\n', ['1:1 timestampFormat']),
  {
    ...csvCase('an unknown clock', '2023-01-01T00:00:00;1\n', ['/query/clock enum']),
    request: ['POST', `${days}?clock=solar`, { csv: '2023-01-01T00:00:00;1\n' }],
    code: 'parametersInvalid',
  },
  {
    ...csvCase('a time zone for recent days', '2023-01-01T00:00:00;1\n', ['/query/timeZone unknownField']),
    request: ['POST', `${days}?timeZone=UTC`, { csv: '2023-01-01T00:00:00;1\n' }],
    code: 'parametersInvalid',
  },
  ...(
    [
      ['separator=x', '/query/separator enum'],
      ['separator=', '/query/separator enum'],
      ['separator=,&separator=;', '/query/separator enum'],
      ['decimal=point', '/query/decimal enum'],
      ['dateFormat=MM/DD/YYYY', '/query/dateFormat enum'],
      ['dateFormat=iso', '/query/dateFormat enum'],
      ['dateColumn=', '/query/dateColumn minLength'],
      [`valueColumn=${'v'.repeat(201)}`, '/query/valueColumn maxLength'],
      ['dateColumn=2', '/query/dateColumn oneColumn'],
      ['dateColumn=time&valueColumn=time', '/query/valueColumn oneColumn'],
    ] as const
  ).map(([query, at]): Case => ({
    name: `CSV with ${query.slice(0, 40)}`,
    request: ['POST', `${days}?${query}`, { csv: '2023-01-01T00:00:00;1\n' }],
    status: 422,
    code: 'parametersInvalid',
    at: [at],
  })),
  ...(
    [
      ['separator=,', '2023-01-01T00:00:00;1\n', '1:2 columnCount'],
      ['decimal=.', '2023-01-01T00:00:00;1,5\n', '1:2 decimalComma'],
      ['decimal=.', '2023-01-01T00:00:00;1.2.3\n', '1:2 valueFormat'],
      ['dateFormat=DD/MM/YYYY HH:mm', '2023-01-01T00:00:00;1\n', '1:1 timestampFormat'],
      ['dateFormat=DD/MM/YYYY HH:mm', '13/13/2023 00:00;1\n', '1:1 timestampCalendar'],
      ['dateFormat=epochSeconds', '999999999999;1\n', '1:1 timestampCalendar'],
      ['dateFormat=epochMilliseconds', '1e12;1\n', '1:1 timestampFormat'],
      ['valueColumn=load', '2023-01-01T00:00:00;1\n', '1: columnUnknown'],
      ['valueColumn=load', 'date;value\n2023-01-01T00:00:00;1\n', '1: columnUnknown'],
      ['valueColumn=3', '2023-01-01T00:00:00;1\n', '1:2 columnCount'],
      ['separator=tab', `2023-01-01T00:00:00\t1\n"2023`, '2:1 quoteNotClosed'],
    ] as const
  ).map(([query, csv, at]): Case => ({
    ...csvCase(`${JSON.stringify(csv)} with ${query}`, csv, [at]),
    request: ['POST', `${days}?${query}`, { csv }],
  })),
  {
    ...csvCase('an inspection with parameters', '2023-01-01T00:00:00;1\n', ['/query/separator unknownField']),
    request: ['POST', '/v1/import-csv/inspect?separator=,', { csv: '2023-01-01T00:00:00;1\n' }],
    code: 'parametersInvalid',
  },
  csvCase('equal times with different values', '2023-01-01T00:00:00;1\n2023-01-01T00:00:00;2\n', [
    '2:2 conflictingValue',
  ]),
  csvCase('a missing column', '2023-01-01T00:00:00;1\n2023-01-01T01:00:00\n', ['2:2 columnCount']),
  csvCase('a third column', '2023-01-01T00:00:00;1;2\n', ['1:2 columnCount']),
  csvCase('commas between columns', 'date,value\n2023-01-01T00:00:00,1\n', [
    '1:2 columnCount',
    '2:2 columnCount',
  ]),
  csvCase('quotes never closed', '"2023-01-01T00:00:00";"1"\n"2023-01-01T01:00:00";"1\n', [
    '2:2 quoteNotClosed',
  ]),
  csvCase('a quote inside a field', '2023-01-01T00:00:00;1\n2023-01-01T01:00:00;1"2\n', ['2:2 bareQuote']),
  csvCase('text after a closing quote', '"2023-01-01T00:00:00"x;1\n', ['1:1 bareQuote']),
  csvCase('a date that no calendar has', '2023-02-30T00:00:00;1\n', ['1:1 timestampCalendar']),
  csvCase('an hour 24', '2023-02-01T24:00:00;1\n', ['1:1 timestampCalendar']),
  csvCase('another form of date', '01/02/2023 00:00;1\n', ['1:1 timestampFormat']),
  csvCase('a fraction without digits', '2023-01-01T00:00:00.;1\n', ['1:1 timestampFormat']),
  csvCase('a word for a value', '2023-01-01T00:00:00;null\n', ['1:2 valueFormat']),
  csvCase('NaN', '2023-01-01T00:00:00;NaN\n', ['1:2 valueFormat']),
  csvCase('an exponent', '2023-01-01T00:00:00;1e9\n', ['1:2 valueFormat']),
  csvCase('thousands in wrong groups', '2023-01-01T00:00:00;1 23\n', ['1:2 valueGroups']),
  csvCase('a value beyond all bounds', `2023-01-01T00:00:00;${'9'.repeat(400)}\n`, ['1:2 valueTooLarge']),
  csvCase('a header of three columns', 'a;b;c\n2023-01-01T00:00:00;1\n', ['1:2 columnCount']),
  csvCase('a blank line inside', '2023-01-01T00:00:00;1\n\n2023-01-01T01:00:00;1\n', ['2: blankLine']),
  csvCase('not UTF-8', Buffer.from('2023-01-01T00:00:00;\xa01\n', 'latin1'), ['1:2 notUtf8']),
  csvCase('UTF-16', Buffer.from('\ufeff2023-01-01T00:00:00;1\n', 'utf16le'), ['1:1 notUtf8']),
  csvCase('line ends of CR alone', '2023-01-01T00:00:00;1\r2023-01-01T01:00:00;1\r', ['1:2 columnCount']),
  csvCase('JSON in a CSV', '{"days":[]}', ['1:1 bareQuote']),
  csvCase('two faults in a row, and one after', '2023-01-01T00:00:00Z;1\nx;y\n2023-01-01T01:00:00;1.5\n', [
    '2:1 timestampFormat',
    '2:2 valueFormat',
    '3:2 decimalPoint',
  ]),
  csvCase('more than a hundred faults of one cause', steady(10).replaceAll(';', ';x'), ['1:2 valueFormat'], {
    detail: /100 faults or more of one cause, reading stopped there/,
  }),
  csvCase('header only', 'date;value\n', [], { code: 'csvEmpty' }),
  csvCase('an empty body', '', [], { code: 'csvEmpty' }),
  csvCase(
    '50,001 days',
    Array.from({ length: 50_001 }, (_, index) => `${dateOf(index - 40_000)}T00:00:00;1\n`).join(''),
    ['50001:1 tooManyDays'],
  ),
];
