// Dates of iCalendar files, and files that are refused with line and cause.
import t from 'tap';
import { fileDates, fileLimits } from '../../../adapters/iCalendar/calendarFile.js';
import { exactList } from '../../helpers/exactList.js';
import { windowsZones } from '../../../adapters/iCalendar/times.js';
import { clockOf } from '../../../adapters/timeZones.js';
import type { InputFault } from '../../../application/requests/imports/faults.js';

const window = { from: '2026-01-01', to: '2027-12-31' };
const read = (text: string | Uint8Array, timeZone = 'UTC', yielded: () => void = () => {}) =>
  fileDates(typeof text === 'string' ? Buffer.from(text) : text, {
    window,
    today: '2026-03-04',
    clock: clockOf(timeZone)!,
    yieldToEventLoop: () => void yielded(),
  });
const calendarOf = (...lines: readonly string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const eventOf = (...lines: readonly string[]): readonly string[] => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'];
/** The faults of a refused file. */
const faultsOf = async (text: string | Uint8Array): Promise<readonly InputFault[]> => {
  const error = await read(text).then(
    dates => new Error(`got ${dates.length} dates`),
    (error: unknown) => error as Error & { readonly faults: readonly InputFault[] },
  );
  if (!('faults' in error)) throw error;
  return error.faults;
};

t.test('events of whole days, of hours, and in other time zones', async t => {
  const school = calendarOf(
    'X-WR-CALNAME:Vacances',
    ...['BEGIN:VTIMEZONE', 'TZID:Europe/Paris', 'BEGIN:STANDARD', 'DTSTART:19701025T030000'],
    ...['RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU', 'END:STANDARD', 'END:VTIMEZONE'],
    ...eventOf(
      'DTSTART;VALUE=DATE:20260411',
      'DTEND;VALUE=DATE:20260414',
      'SUMMARY:Vacances de',
      '  printemps',
    ),
    ...eventOf('DTSTART;VALUE=DATE:20260714', 'BEGIN:VALARM', 'TRIGGER:-PT1H', 'END:VALARM'),
    ...eventOf('DTSTART;TZID="Europe/Paris":20260501T080000', 'DTEND;TZID=Europe/Paris:20260501T180000'),
    ...eventOf('DTSTART:20261224T120000', 'DURATION:P1DT12H'),
    ...eventOf('DTSTART;VALUE=DATE:20261228', 'DURATION:P2D'),
    ...eventOf('DTSTART;VALUE=DATE:20251231', 'DTEND;VALUE=DATE:20260102'),
    ...eventOf('DTSTART;VALUE=DATE:20300101'),
  );
  t.strictSame(await read(`\ufeff${school}`), [
    ...['2026-01-01', '2026-04-11', '2026-04-12', '2026-04-13', '2026-05-01', '2026-07-14'],
    ...['2026-12-24', '2026-12-25', '2026-12-28', '2026-12-29'],
  ]);
  t.strictSame(await read(school.replaceAll('\r\n', '\n')), await read(school), 'with other line ends');
  const midnight = calendarOf(...eventOf('DTSTART:20260410T220000Z', 'DTEND:20260412T220000Z'));
  t.strictSame(await read(midnight, 'Europe/Paris'), ['2026-04-11', '2026-04-12'], 'the midnights of Paris');
  t.strictSame(await read(midnight), ['2026-04-10', '2026-04-11', '2026-04-12']);
});

t.test('times of a zone belong to the dates of the place', async t => {
  const paris = (...lines: readonly string[]) => read(calendarOf(...eventOf(...lines)), 'Europe/Paris');
  const newYork = 'DTSTART;TZID=America/New_York:20270405T230000';
  t.strictSame(await paris(newYork), ['2027-04-06']);
  t.strictSame(await paris('DTSTART:20270406T030000Z'), ['2027-04-06'], 'the same instant');
  t.strictSame(await paris('DTSTART:20270405T230000'), ['2027-04-05'], 'a floating time');
  t.strictSame(await paris('DTSTART;TZID=America/New_York;VALUE=DATE:20270405'), ['2027-04-05'], 'a date');
  t.strictSame(await read(calendarOf(...eventOf(newYork))), ['2027-04-06'], 'for labels: dates of UTC');
  const tokyo = 'DTSTART;TZID=Asia/Tokyo:20270406T050000';
  t.strictSame(await paris(tokyo), ['2027-04-05']);
  // 07:00 in Tokyo is midnight in Paris.
  t.strictSame(await paris(tokyo, 'DTEND;TZID=Asia/Tokyo:20270406T070000'), ['2027-04-05']);
  t.strictSame(await paris(tokyo, 'DTEND;TZID=Asia/Tokyo:20270406T070100'), ['2027-04-05', '2027-04-06']);
  t.strictSame(await paris(tokyo, 'DURATION:PT2H1M'), ['2027-04-05', '2027-04-06']);
  t.strictSame(
    await paris('DTSTART;TZID=Europe/Paris:20270405T230000', 'DTEND;TZID=America/New_York:20270405T190000'),
    ['2027-04-05', '2027-04-06'],
    'an end of another zone',
  );
  // The clock of New York leaves out 02:30; that is 03:30, 07:30 in UTC.
  t.strictSame(
    await read(calendarOf(...eventOf('DTSTART;TZID=America/New_York:20270314T023000')), 'Asia/Kolkata'),
    ['2027-03-14'],
  );
});

t.test('zones have names of IANA, of a VTIMEZONE, or of Windows', async t => {
  const inZone = (name: string): string => `DTSTART;TZID="${name}":20270405T230000`;
  const zone = ['BEGIN:VTIMEZONE', 'TZID:Office 1', 'X-LIC-LOCATION:America/New_York', 'END:VTIMEZONE'];
  for (const [first, last] of [
    [zone, []],
    [[], zone],
  ] as const) {
    const text = calendarOf(...first, ...eventOf(inZone('Office 1')), ...last);
    t.strictSame(await read(text, 'Europe/Paris'), ['2027-04-06']);
  }
  for (const name of ['Eastern Standard Time', '/example.org/2027/America/New_York', 'america/new_york'])
    t.strictSame(await read(calendarOf(...eventOf(inZone(name))), 'Europe/Paris'), ['2027-04-06'], name);
  for (const [name, zone = ''] of Object.entries(windowsZones)) t.ok(clockOf(zone), name);
  const unknown = calendarOf(...eventOf(inZone('Nowhere/City')), ...eventOf(inZone('UTC+2')));
  t.match(
    await faultsOf(unknown),
    exactList(
      { line: 4, code: 'timeZone', detail: /^TZID of DTSTART: got "Nowhere\/City", expected the IANA name/ },
      { line: 7, code: 'timeZone', detail: /fixed offset/ },
    ),
  );
  const zones = Intl.supportedValuesOf('timeZone').flatMap(name => eventOf(inZone(name)));
  t.equal((await faultsOf(calendarOf(...zones)))[0]?.code, 'tooManyTimeZones');
});

t.test('a rule repeats by the clock of its start; each repetition has its own date at the place', async t => {
  const paris = (...lines: readonly string[]) => read(calendarOf(...eventOf(...lines)), 'Europe/Paris');
  const mondays = ['DTSTART;TZID=America/New_York:20270405T230000', 'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3'];
  t.strictSame(await paris(...mondays), ['2027-04-06', '2027-04-13', '2027-04-20'], 'Tuesdays in Paris');
  t.strictSame(await paris(...mondays, 'EXDATE;TZID=America/New_York:20270412T230000'), [
    ...['2027-04-06', '2027-04-20'],
  ]);
  t.strictSame(await paris(...mondays, 'EXDATE:20270413T030000Z'), ['2027-04-06', '2027-04-20']);
  t.strictSame(await paris(...mondays, 'EXDATE;VALUE=DATE:20270412'), ['2027-04-06', '2027-04-20']);
  t.strictSame(await paris(...mondays, 'RDATE;TZID=America/New_York:20270501T120000'), [
    ...['2027-04-06', '2027-04-13', '2027-04-20', '2027-05-01'],
  ]);
  const moved = calendarOf(
    ...eventOf('UID:a', ...mondays),
    ...eventOf('UID:a', 'RECURRENCE-ID:20270413T030000Z', 'DTSTART;VALUE=DATE:20270415'),
  );
  t.strictSame(await read(moved, 'Europe/Paris'), ['2027-04-06', '2027-04-15', '2027-04-20']);
  // 22:30 in UTC is after midnight in Paris in summer only.
  t.strictSame(await paris('DTSTART:20271029T223000Z', 'RRULE:FREQ=DAILY;COUNT=4'), [
    ...['2027-10-30', '2027-10-31', '2027-11-01'],
  ]);
  const until = (text: string) =>
    paris('DTSTART;TZID=America/New_York:20270405T230000', `RRULE:FREQ=DAILY;UNTIL=${text}`);
  t.strictSame(await until('20270407T030000Z'), ['2027-04-06', '2027-04-07'], 'until its start');
  t.strictSame(await until('20270407T025959Z'), ['2027-04-06'], 'until a second before');
  t.strictSame(await until('20270406'), ['2027-04-06', '2027-04-07']);
});

t.test('events that repeat, with added, left out and moved dates', async t => {
  const dates = await read(
    calendarOf(
      ...eventOf(
        ...['UID:closing', 'DTSTART;VALUE=DATE:20260105', 'RRULE:FREQ=WEEKLY;COUNT=5'],
        ...['EXDATE;VALUE=DATE:20260112,20260126', 'RDATE;VALUE=DATE:20260601'],
      ),
      ...eventOf('UID:closing', 'RECURRENCE-ID;VALUE=DATE:20260119', 'DTSTART;VALUE=DATE:20260120'),
      ...eventOf(
        'UID:closing',
        'RECURRENCE-ID;VALUE=DATE:20260202',
        'DTSTART;VALUE=DATE:20260202',
        'STATUS:CANCELLED',
      ),
      ...eventOf('UID:gone', 'DTSTART;VALUE=DATE:20260301', 'STATUS:CANCELLED'),
    ),
  );
  t.strictSame(dates, ['2026-01-05', '2026-01-20', '2026-06-01']);
  const until = calendarOf(...eventOf('DTSTART:20260104T230000Z', 'RRULE:FREQ=DAILY;UNTIL=20260106T230000Z'));
  t.strictSame(await read(until, 'Europe/Paris'), ['2026-01-05', '2026-01-06', '2026-01-07']);
});

t.test('a refused file says line and cause', async t => {
  const start = 'DTSTART;VALUE=DATE:20260105';
  const cases: readonly (readonly [string, string | Uint8Array, number, string, RegExp?])[] = [
    ['nothing', '', 1, 'componentEnd', /expected BEGIN:VCALENDAR/],
    ['blank lines', '\n \n', 1, 'componentEnd'],
    ['another text', 'date;value\n2026-01-01;1\n', 1, 'lineSyntax'],
    ['another component', 'BEGIN:VCARD\nEND:VCARD\n', 1, 'notACalendar', /expected BEGIN:VCALENDAR/],
    ['Latin-1', Buffer.from(calendarOf(...eventOf(start, 'SUMMARY:Noël')), 'latin1'), 5, 'encoding', /UTF-8/],
    ['UTF-16', Buffer.from(calendarOf(...eventOf(start)), 'utf16le'), 1, 'encoding'],
    ['NUL', calendarOf('X-A:\0'), 3, 'encoding'],
    ['no end of an event', calendarOf('BEGIN:VEVENT', start), 5, 'componentEnd', /expected END:VEVENT/],
    ['no end of the file', 'BEGIN:VCALENDAR\nVERSION:2.0\n', 2, 'componentEnd', /end of the file/],
    ['no events', calendarOf(), 1, 'noDates'],
    ['an event without a start', calendarOf(...eventOf('SUMMARY:x')), 3, 'startMissing'],
    [
      'a start that is no date',
      calendarOf(...eventOf('DTSTART;VALUE=DATE:20260230')),
      4,
      'value',
      /20260230/,
    ],
    ['an hour that no day has', calendarOf(...eventOf('DTSTART:20260105T250000')), 4, 'value', /250000/],
    ['hour 24', calendarOf(...eventOf(start, 'DTEND:20260105T240000')), 5, 'value', /240000/],
    ['a second that no minute has', calendarOf(...eventOf('DTSTART:20260105T080061Z')), 4, 'value'],
    ['two starts', calendarOf(...eventOf(start, start)), 5, 'propertyRepeated'],
    ['an end before the start', calendarOf(...eventOf(start, 'DTEND;VALUE=DATE:20260101')), 5, 'value'],
    [
      'a long event',
      calendarOf(...eventOf(start, 'DTEND;VALUE=DATE:20290101')),
      5,
      'value',
      /at most 400 days/,
    ],
    ['a long duration', calendarOf(...eventOf(start, 'DURATION:P9999D')), 5, 'value'],
    ['a bad duration', calendarOf(...eventOf(start, 'DURATION:P')), 5, 'value'],
    ['every second', calendarOf(...eventOf(start, 'RRULE:FREQ=SECONDLY')), 5, 'frequency'],
    ['a huge count', calendarOf(...eventOf(start, 'RRULE:FREQ=DAILY;COUNT=999999')), 5, 'partValue'],
    ['many levels', calendarOf(...Array<string>(9).fill('BEGIN:VTODO')), 10, 'nesting'],
    [
      'a long line',
      calendarOf(...eventOf(start, 'SUMMARY:x', ...Array<string>(200).fill(` ${'x'.repeat(70)}`))),
      5,
      'lineLength',
    ],
  ];
  for (const [name, text, line, code, detail = /./] of cases) {
    const [fault] = await faultsOf(text);
    t.match(fault, { line, code, detail }, name);
  }
  const several = calendarOf(...eventOf('SUMMARY:x'), ...eventOf('DTSTART:x'), ...eventOf(start));
  t.strictSame(
    (await faultsOf(several)).map(({ line, code }) => [line, code]),
    [
      [3, 'startMissing'],
      [7, 'value'],
    ],
    'all faults at once',
  );
});

t.test('a rule with more dates than a rule may have is refused, wherever its window begins', async t => {
  for (const frequency of ['FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR']) {
    const file = calendarOf(...eventOf('DTSTART;VALUE=DATE:20150105', `RRULE:${frequency}`));
    const dates = fileDates(Buffer.from(file), {
      window: { from: '2022-01-01', to: '2031-12-31' },
      today: '2026-03-04',
      clock: clockOf('UTC')!,
      yieldToEventLoop: () => undefined,
    });
    const refusal = await dates.catch((error: unknown) => error);
    t.match(refusal, { faults: exactList({ code: 'tooManyDates' }) }, frequency);
  }
});

t.test('hostile files end within bounds', async t => {
  const start = 'DTSTART;VALUE=DATE:20260105';
  const many = (count: number, ...lines: readonly string[]): string =>
    calendarOf(
      Array<string>(count)
        .fill(eventOf(...lines).join('\n'))
        .join('\n'),
    );
  const listOf = (count: number): string => Array<string>(count).fill('20260105').join(',');
  const cases: readonly (readonly [string, string, string])[] = [
    ['100,000 events', many(100_000, start), 'tooManyEvents'],
    ['100,000 faults', many(100_000, 'DTSTART:x'), 'value'],
    ['51 rules', many(51, start, 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'), 'tooManyRules'],
    [
      'dates without end',
      many(1, start, 'DTEND;VALUE=DATE:20270101', `RDATE:${listOf(1000)}`),
      'tooManyDates',
    ],
    ['a list without end', many(1, start, `RDATE:${listOf(1001)}`), 'value'],
    ['a day of each rule', many(2, 'DTSTART:20260101', 'DURATION:P399D', 'RRULE:FREQ=DAILY'), 'tooManyDates'],
  ];
  for (const [name, text, code] of cases) {
    const faults = await faultsOf(text);
    t.equal(faults.at(-1)?.code, code, name);
    t.ok(faults.length <= 100, name);
  }
  let yields = 0;
  const rules = many(50, start, 'RRULE:FREQ=WEEKLY;BYDAY=MO;BYMONTH=2;BYSETPOS=7');
  t.strictSame(await read(rules, 'UTC', () => (yields += 1)), ['2026-01-05']);
  t.equal(
    yields,
    3 + 50 * 4 + 50 + 50 * 3,
    'others have their turn after each line, each event, and each year of a rule',
  );
  t.equal(fileLimits.bytesMax, 1_000_000);
});
