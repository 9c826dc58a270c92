import { importDays, goodDay, flat, type Case } from './case.js';
import { ordinaryDay } from '../../helpers/service.js';

const jsonCase = (name: string, json: unknown, at: readonly string[], more: Partial<Case> = {}): Case => ({
  name: `JSON: ${name}`,
  request: ['POST', importDays, { json }],
  status: 422,
  code: 'jsonInvalid',
  at,
  ...more,
});

const brokenCase = (name: string, body: string | Buffer, line: number): Case => ({
  name: `JSON: ${name}`,
  request: ['POST', importDays, { body, headers: { 'Content-Type': 'application/json' } }],
  status: 400,
  code: 'unparseable',
  at: [`${line}: jsonBroken`],
});

const oneDay = (day: Readonly<Record<string, unknown>>) => ({ sourceId: 1, days: [day] });

/** Bodies of imports by JSON. */
export const jsonCases: readonly Case[] = [
  brokenCase('an unclosed bracket', '{"sourceId":1,\n"days":[{]}', 2),
  brokenCase('cut short', '{"sourceId":1,"days":[{"date":"2023-01-01"', 1),
  brokenCase('more after the end', '{"sourceId":1,"days":[]} {}', 1),
  brokenCase('NaN', '{"sourceId":1,"days":[{"date":"2023-01-01","activity":[1,2,\n\nNaN,4]}]}', 3),
  brokenCase('a comma too many', '{"sourceId":1,"days":[],}', 1),
  brokenCase('empty', '', 1),
  brokenCase('not UTF-8', Buffer.from('{"sourceId":1,"days":["\xe9"]}', 'latin1'), 1),
  {
    ...jsonCase('1e999', undefined, ['/days/0/activity/1 valueTooLarge']),
    request: [
      'POST',
      importDays,
      {
        body: '{"sourceId":1,"days":[{"date":"2023-01-01","activity":[1,1e999,3,4]}]}',
        headers: { 'Content-Type': 'application/json' },
      },
    ],
  },
  jsonCase('`null` as a body', null, [' type'], { code: 'bodyInvalid' }),
  jsonCase('a list as a body', [], [' type'], { code: 'bodyInvalid' }),
  jsonCase('a text as a value', oneDay({ date: '2023-01-01', activity: [1, '2', 3, 4] }), [
    '/days/0/activity/1 valueFormat',
  ]),
  jsonCase('an unknown field', { sourceId: 1, days: [goodDay], foo: 1 }, ['/foo unknownField'], {
    code: 'bodyInvalid',
  }),
  jsonCase('an unknown field of a day', oneDay({ ...goodDay, 'a/b~c': 1 }), ['/days/0/a~1b~0c unknownField']),
  jsonCase('a date twice', { sourceId: 1, days: [goodDay, ordinaryDay('2023-05-02'), goodDay] }, [
    '/days/2/date duplicateDate',
  ]),
  jsonCase('23 values', oneDay({ date: '2023-01-01', activity: flat(23) }), [
    '/days/0/activity activityLength',
  ]),
  jsonCase('25 values', oneDay({ date: '2023-10-29', activity: flat(25) }), [
    '/days/0/activity activityLength',
  ]),
  jsonCase('no value', oneDay({ date: '2023-01-01', activity: [] }), ['/days/0/activity activityLength']),
  jsonCase('1441 values', oneDay({ date: '2023-01-01', activity: flat(1441) }), [
    '/days/0/activity activityLength',
  ]),
  jsonCase('an activity that is null', oneDay({ date: '2023-01-01', activity: null }), [
    '/days/0/activity activityFormat',
  ]),
  jsonCase('a date that no calendar has', oneDay({ date: '2023-02-30', activity: flat(24) }), [
    '/days/0/date dateFormat',
  ]),
  jsonCase('a number for a date', oneDay({ date: 20230101, activity: flat(24) }), [
    '/days/0/date dateFormat',
  ]),
  jsonCase('a day without a date', oneDay({ activity: flat(24) }), ['/days/0 missingField']),
  jsonCase('a day without an activity', oneDay({ date: '2023-01-01' }), ['/days/0 missingField']),
  jsonCase('null as a day', { sourceId: 1, days: [null] }, ['/days/0 dayFormat']),
  jsonCase('no day', { sourceId: 1, days: [] }, ['/days daysEmpty'], { code: 'daysEmpty' }),
  jsonCase('no days', { sourceId: 1 }, [' required'], { code: 'bodyInvalid' }),
  jsonCase('days that are null', { sourceId: 1, days: null }, ['/days type'], { code: 'bodyInvalid' }),
  jsonCase('no source', { days: [goodDay] }, [' required'], { code: 'bodyInvalid' }),
  jsonCase('a text for a source', { sourceId: '1', days: [goodDay] }, ['/sourceId type'], {
    code: 'bodyInvalid',
  }),
  jsonCase('a fraction as sourceId', { sourceId: 1.5, days: [goodDay] }, ['/sourceId type'], {
    code: 'bodyInvalid',
  }),
  {
    ...jsonCase('days twice', undefined, ['/days duplicateField'], { code: 'duplicateField' }),
    request: [
      'POST',
      importDays,
      { body: '{"sourceId":1,"days":[],"days":[]}', headers: { 'Content-Type': 'application/json' } },
    ],
  },
  jsonCase(
    'all faults of one cause, listed once',
    { sourceId: 1, days: Array.from({ length: 150 }, () => ({ date: 'x', activity: flat(24) })) },
    ['/days/0/date dateFormat'],
  ),
];
