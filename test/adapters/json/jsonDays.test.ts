import fc from '../../helpers/property.js';
import { Readable } from 'node:stream';
import t from 'tap';
import { InvalidInput, Unparseable, type InputFault } from '../../../application/requests/imports/faults.js';
import type { DayRule } from '../../../application/requests/imports/assembleDays.js';
import { brokenAt, daysBodyLimits } from '../../../adapters/json/jsonBytes.js';
import { readDaysBody } from '../../../adapters/json/daysBody.js';
import { collectJsonDays, type JsonDayRule } from '../../../adapters/json/jsonDays.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { bodyOf } from '../../helpers/documents/bodies.js';
import { exactList } from '../../helpers/exactList.js';

const recent: DayRule = {
  kind: 'recent',
  activitySize: 4,
  aggregation: 'mean',
  interpolationMethod: 'zero',
};

const scan = async (text: string | Buffer, size = 65_536, limits = daysBodyLimits) => {
  const elements: unknown[] = [];
  const { envelope } = await readDaysBody(
    bodyOf(Buffer.from(text), size),
    (value, index) => {
      elements[index] = value;
    },
    limits,
  );
  return { envelope, elements };
};
const collect = (document: unknown) => collectJsonDays(bodyOf(Buffer.from(JSON.stringify(document)), 1000));
const finish = async (days: unknown, rule: JsonDayRule = recent) => (await collect({ days })).finish(rule);

const refusal = async <Refusal extends Error>(
  answer: Promise<unknown>,
  expectedClass: abstract new (...given: never[]) => Refusal,
): Promise<Refusal> => {
  try {
    await answer;
  } catch (error) {
    if (error instanceof expectedClass) return error;
    throw error;
  }
  throw new Error(`got an answer, expected ${expectedClass.name}`);
};
/** Faults as `pointer code`. */
const places = (faults: readonly InputFault[]): string[] =>
  faults.map(({ pointer, code }) => `${pointer ?? ''} ${code}`);
const faultsOf = async (days: unknown, rule?: JsonDayRule): Promise<string[]> =>
  places((await refusal(finish(days, rule), InvalidInput)).faults);

const day = (date: string, length: number, value: unknown = 1) => ({
  date,
  activity: Array.from({ length }, () => value),
});
/** Days from the first of January 2023. */
const steady = (count: number, length = 4, value: unknown = 1) =>
  Array.from({ length: count }, (_, index) => day(dateOf(dayNumber('2023-01-01') + index), length, value));

t.test('JSON: days and other fields are separated', async t => {
  for (const [text, envelope, elements] of [
    ['{"days":[1,2]}', { days: [] }, [1, 2]],
    ['{"days":[]}', { days: [] }, []],
    [
      ' {\n"a" : 1 , "days" : [ {"x":[1,{}]} , "s" ,null, true,-1.5e3 ] , "b":[[]]}\n ',
      { a: 1, days: [], b: [[]] },
      [{ x: [1, {}] }, 's', null, true, -1500],
    ],
    ['{"d\\u0061ys":[[1]],"a":"\\"days\\":[7]"}', { days: [], a: '"days":[7]' }, [[1]]],
    ['{"a":{"days":[1]},"days":[2]}', { a: { days: [1] }, days: [] }, [2]],
    ['{"a":"days","b":[1]}', { a: 'days', b: [1] }, []],
    ['{"days":{"days":[1]}}', { days: { days: [1] } }, []],
    ['{"days":"x","b":[1]}', { days: 'x', b: [1] }, []],
    ['{"days":null,"b":1}', { days: null, b: 1 }, []],
    ['[{"days":[1]}]', [{ days: [1] }], []],
    ['["days",[1]]', ['days', [1]], []],
    ['["days","days"]', ['days', 'days'], []],
    ['5', 5, []],
    ['"days"', 'days', []],
    ['{}', {}, []],
    ['{"days":["]","}","\\\\","\\"]",","]}', { days: [] }, [']', '}', '\\', '"]', ',']],
    ['{"é":"\u{1f600}","days":["\u{1f600}"]}', { é: '\u{1f600}', days: [] }, ['\u{1f600}']],
  ] as const) {
    const body = Buffer.from(text);
    t.strictSame(await scan(text), { envelope, elements }, text);
    for (let cut = 1; cut < body.length; cut += 1) {
      const halves: unknown[] = [];
      const answer = await readDaysBody(Readable.from([body.subarray(0, cut), body.subarray(cut)]), value =>
        halves.push(value),
      );
      if (JSON.stringify([answer.envelope, halves]) !== JSON.stringify([envelope, elements]))
        t.strictSame([answer.envelope, halves], [envelope, elements], `${text} cut at ${cut}`);
    }
    t.strictSame(await scan(text, 1), { envelope, elements }, 'byte by byte');
  }
});

t.test('JSON: invalid JSON is refused with byte and line', async t => {
  for (const [text, byte, line] of [
    ['', 0, 1],
    ['  ', 2, 1],
    ['{', 1, 1],
    ['{"days":[1,2', 12, 1],
    ['{"days":[1,', 11, 1],
    ['{"days":[', 9, 1],
    ['{"days":[1]', 11, 1],
    ['{"days":["x', 11, 1],
    ['{"days":[1,]}', 11, 1],
    ['{"days":[,1]}', 9, 1],
    ['{"days":[1,,2]}', 11, 1],
    ['{"days":[1 2]}', 11, 1],
    ['{"days":[1}', 10, 1],
    ['{"days":[:1]}', 9, 1],
    ['{"days":["a""b"]}', 12, 1],
    ['{"days":[{"a":1 "b":2}]}', 16, 1],
    ['{"days":[\n {"a":1},\n {"a":\n  01}]}', 30, 4],
    ['{"days":[{"a":[1,]}]}', 17, 1],
    ['{"days":[{"a":tru}]}', 14, 1],
    ['{"days":[{"a":1', 15, 1],
    ['{"days":[\n{"a":\n1},\n{"b":2},x]}', 28, 4],
    ["{'days':[1]}", 1, 1],
    ['{"days":[1],}', 12, 1],
    ['{"days":[1]\n\n "a":1}', 14, 3],
    ['{"days":[1,\n2]\n,"a" 1}', 20, 3],
    ['{"days" [1]}', 8, 1],
    ['{"a":1 "days":[1]}', 7, 1],
    ['{"days":[1]]}', 11, 1],
    ['{"days":[1]}}', 12, 1],
    ['{"days":[1]} x', 13, 1],
    ['{"days":[1]}\né', 13, 2],
    ['{"days":[1]}{"days":[2]}', 12, 1],
    ['}', 0, 1],
    ['{"a":"\n"}', 5, 1],
    ['{"days":["é",é]}', 14, 1],
    ['\ufeff{}', 0, 1],
  ] as const) {
    for (const size of [65_536, 1]) {
      const { message, faults } = await refusal(scan(text, size), Unparseable);
      t.match(message, new RegExp(`at byte ${byte}, line ${line}$`), `${JSON.stringify(text)}: ${message}`);
      t.match(faults, exactList({ code: 'jsonBroken', line }));
    }
  }
  for (const [text, byte] of [
    ['{"days":["\u00e9"]}', 10],
    ['{"a":"\u00e9"}', 6],
    ['{"\u00e9":1,"days":[]}', 2],
  ] as const)
    t.match(
      (await refusal(scan(Buffer.from(text, 'latin1'), 3), Unparseable)).message,
      `not UTF-8 at byte ${byte},`,
    );
  for (const [text, got] of [
    ['\ufeff{}', 'U+FEFF'],
    ['[\u00a01]', 'U+00A0'],
    ['[\ud83d\ude00]', '"\ud83d\ude00"'],
    ['[1 x]', '"x"'],
  ] as const)
    t.match((await refusal(scan(text), Unparseable)).message, `got ${got} out of place`);
  const real = Buffer.concat([
    Buffer.from('{"days":["\ufffda\ufffd'),
    Buffer.from([0xff]),
    Buffer.from('"]}'),
  ]);
  t.match((await refusal(scan(real), Unparseable)).message, 'not UTF-8 at byte 17,');
});

t.test('limits', async t => {
  const code = async (answer: Promise<unknown>): Promise<string> =>
    (await refusal(answer, InvalidInput)).code;
  t.equal(await code(scan('{"days":[1],"a":2,"days":[3]}')), 'duplicateField');
  t.equal(await code(scan('{"days":1,"d\\u0061ys":[3]}')), 'duplicateField');

  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  t.strictSame((await scan(`{"days":[${nested(6)}]}`)).elements, [JSON.parse(nested(6))]);
  t.equal(await code(scan(`{"days":[${nested(7)}]}`)), 'nesting');
  t.strictSame((await scan(nested(8))).envelope, JSON.parse(nested(8)));
  t.equal(await code(scan(nested(9))), 'nesting');
  t.equal(await code(scan('{"a":'.repeat(9))), 'nesting');

  const limits = { ...daysBodyLimits, elementBytesMax: 10, envelopeBytesMax: 30 };
  for (const size of [100, 1]) {
    t.strictSame((await scan('{"days":["12345678"]}', size, limits)).elements, ['12345678']);
    const { code, faults } = await refusal(scan('{"days":[1,"123456789"]}', size, limits), InvalidInput);
    t.equal(code, 'elementTooLarge');
    t.equal(faults[0]?.pointer, '/days/1');
  }
  t.ok(await scan(`{"a":"${'x'.repeat(22)}"}`, 7, limits), '30 bytes');
  t.equal(await code(scan(`{"a":"${'x'.repeat(23)}"}`, 7, limits)), 'envelopeTooLarge');

  const text = '{"days":[1]}';
  t.ok(await scan(text, 5, { ...daysBodyLimits, bytesMax: 12 }));
  await t.rejects(scan(text, 5, { ...daysBodyLimits, bytesMax: 11 }), { name: 'TooLarge', limitBytes: 11 });
});

t.test('JSON: nested objects in a day are counted', async t => {
  const nested = (depth: number): string => `{"days":[{"a":${'['.repeat(depth)}1${']'.repeat(depth)}}]}`;
  for (const size of [65_536, 1]) {
    t.equal((await scan(nested(5), size)).elements.length, 1);
    t.equal((await refusal(scan(nested(6), size), InvalidInput)).code, 'nesting');
  }
});

t.test('JSON: hostile bodies are refused early', async t => {
  for (const [start, filler, code] of [
    ['', '[', 'nesting'],
    ['{"days":[', '[', 'nesting'],
    ['{"days":[', '{"a":', 'nesting'],
    ['{"days":[', '1', 'elementTooLarge'],
    ['{"days":["', 'x', 'elementTooLarge'],
    ['{"a":"', '\\"', 'envelopeTooLarge'],
    ['', ' ', 'envelopeTooLarge'],
    ['{', '"a":1,', 'envelopeTooLarge'],
  ] as const) {
    let bytes = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from(start);
      for (;;) {
        const piece = Buffer.from(filler.repeat(1000));
        bytes += piece.length;
        yield piece;
      }
    }
    const got = await refusal(
      readDaysBody(endless(), () => undefined),
      InvalidInput,
    );
    t.equal(got.code, code, `${start}${filler}…`);
    t.ok(bytes < 300_000, `${bytes} bytes`);
  }
  let days = 0;
  async function* faulty(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"days":[null');
    for (;;) {
      days += 30;
      yield Buffer.from(',null'.repeat(30));
    }
  }
  const { faults } = await refusal(collectJsonDays(faulty()), InvalidInput);
  t.match(
    faults,
    exactList({
      code: 'dayFormat',
      count: 100,
      pointer: '/days/0',
      detail: /; 100 times, at \/days\/0, \/days\/1, \/days\/2, …$/,
    }),
  );
  t.ok(days <= 120);
});

t.test('JSON: errors of the stream and of the caller reject', async t => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"days":[');
    throw new Error('gone');
  }
  await t.rejects(collectJsonDays(failing()), { message: 'gone' });
  const bug = () => {
    throw new RangeError('a bug');
  };
  await t.rejects(readDaysBody(bodyOf(Buffer.from('{"days":[1]}'), 3), bug), { message: 'a bug' });
  const body = new Readable({ read: () => undefined });
  body.push('}');
  await t.rejects(collectJsonDays(body), { name: 'Unparseable' });
  t.equal(body.destroyed, false, 'the answer can still go out on its connection');
});

t.test('JSON: the scanner agrees with JSON.parse', async t => {
  const value = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 5 },
      fc.constantFrom(null, true, false, 0, -1.5, 1e21),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'days', '\n') }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('days', 'a', '"', '\\', '__proto__'), tie('value'), { maxKeys: 3 }),
    ),
  })).value;
  const plainDay = fc.record({
    date: fc.constantFrom('2023-01-01', '}', 'é'),
    activity: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 8 }),
  });
  const body = fc.record({
    before: fc.dictionary(fc.string(), value, { maxKeys: 2 }),
    days: fc.array(fc.oneof(value, plainDay), { maxLength: 6 }),
    after: fc.dictionary(fc.string(), value, { maxKeys: 2 }),
    indent: fc.constantFrom('', ' ', '\t'),
    size: fc.integer({ min: 1, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(body, async ({ before, days, after, indent, size }) => {
      const document: unknown = Object.assign({}, before, { days: 0 }, after, { days });
      const text = JSON.stringify(document, null, indent);
      const scanned = await scan(text, size);
      const whole = JSON.parse(text) as { days: unknown[] };
      t.strictSame(scanned.elements, whole.days);
      t.strictSame(scanned.envelope, { ...whole, days: [] });
    }),
    { seed: 3, numRuns: 200 },
  );

  // A document with one changed, removed or added character: both give the same result.
  await fc.assert(
    fc.asyncProperty(
      body,
      fc.nat(),
      fc.nat(2),
      fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', ' ', '0', 'e', '\n'),
      async ({ before, days, indent, size }, at, kind, character) => {
        const good = JSON.stringify({ ...before, days, z: [1] }, null, indent);
        const index = at % good.length;
        const changed =
          good.slice(0, index) + (kind === 0 ? '' : character) + good.slice(index + (kind === 2 ? 0 : 1));
        // UTF-8 has no half of a surrogate pair.
        const text = Buffer.from(changed).toString();
        let parsed: unknown;
        let broken = false;
        try {
          parsed = JSON.parse(text);
        } catch {
          broken = true;
        }
        t.equal(brokenAt(text) !== undefined, broken, text);
        try {
          const { envelope, elements } = await scan(text, size);
          t.equal(broken, false, text);
          t.strictSame(
            typeof envelope === 'object' && envelope && 'days' in envelope && Array.isArray(envelope.days)
              ? { ...envelope, days: elements }
              : envelope,
            parsed,
          );
        } catch (error) {
          if (error instanceof InvalidInput) t.match(error.code, /^(nesting|duplicateField)$/);
          else if (error instanceof Unparseable) t.equal(broken, true, text);
          else throw error;
        }
      },
    ),
    { seed: 5, numRuns: 600 },
  );
  t.equal(brokenAt(JSON.stringify('x'.repeat(300_000))), undefined, 'a long string');
});

t.test('JSON: each day is checked', async t => {
  const good = day('2023-03-01', 4);
  for (const [days, ...expected] of [
    [[1, null, [], 'x'], '/days/0 dayFormat', '/days/1 dayFormat', '/days/2 dayFormat', '/days/3 dayFormat'],
    [[{}], '/days/0 missingField', '/days/0 missingField'],
    [[{ ...good, 'a/~b': 1 }], '/days/0/a~1~0b unknownField'],
    [[{ ...good, date: 5 }], '/days/0/date dateFormat'],
    [[{ ...good, date: '2023-02-29' }], '/days/0/date dateFormat'],
    [[{ ...good, date: '2023-03-01T00:00:00' }], '/days/0/date dateFormat'],
    [[good, day('2023-03-02', 4), good], '/days/2/date duplicateDate'],
    [[{ ...good, activity: 4 }], '/days/0/activity activityFormat'],
    [[{ ...good, activity: null }], '/days/0/activity activityFormat'],
    [[day('2023-03-01', 5)], '/days/0/activity activityLength'],
    [[day('2023-03-01', 0)], '/days/0/activity activityLength'],
    [
      [{ date: '?', activity: [1, null, '2', [3]] }],
      '/days/0/date dateFormat',
      '/days/0/activity/2 valueFormat',
      '/days/0/activity/3 valueFormat',
    ],
    [
      [good, { date: '2023-03-02', activity: [1, 2e100, -2e100, 1e100] }],
      '/days/1/activity/1 valueTooLarge',
      '/days/1/activity/2 valueTooLarge',
    ],
  ] as const)
    t.strictSame(await faultsOf(days), expected, JSON.stringify(days));

  const infinite = Buffer.from('{"days":[{"date":"2023-01-01","activity":[0,0,0,1e999]}]}');
  const collected = await collectJsonDays(bodyOf(infinite, 9));
  t.strictSame(places(collected.faults), ['/days/0/activity/3 valueTooLarge']);
  t.match((await refusal(collected.finish(recent), InvalidInput)).code, 'jsonInvalid');

  const repeated = await refusal(finish([good, good]), InvalidInput);
  t.match(repeated.faults[0]?.detail, '/days/1 has the date of /days/0, 2023-03-01');
  t.match(
    (await refusal(collect({ days: [day('2023-03-01', 144, 'x')] }), InvalidInput)).faults,
    exactList({ code: 'valueFormat', count: 100, pointer: '/days/0/activity/0' }),
  );
  t.equal((await refusal(finish([]), InvalidInput)).code, 'daysEmpty');
});

t.test('JSON: conversion to the slices of the source, worked example', async t => {
  const days = [
    { date: '2023-03-02', activity: [4, 5, 0, 7] },
    { date: '2023-03-01', activity: [1, 3, 5, 7, 9, 11, 13, 15] },
    { date: '2023-03-03', activity: Array.from({ length: 1440 }, (_, minute) => minute) },
  ];
  const mean = await finish(days);
  t.strictSame(mean, {
    days: [
      { date: '2023-03-01', activity: [2, 6, 10, 14], gaps: [], filled: [] },
      { date: '2023-03-02', activity: [4, 5, 0, 7], gaps: [], filled: [] },
      // The mean of minutes 0 to 359 is 179.5, and 360 more each time.
      { date: '2023-03-03', activity: [179.5, 539.5, 899.5, 1259.5], gaps: [], filled: [] },
    ],
    activitySize: 4,
    summary: {
      lines: 0,
      days: 3,
      missingSamples: 0,
      filledSamples: 0,
      duplicates: 0,
      warnings: [],
      notes: [
        '1 day of 8 values, kept as 4 slices of 6 hours: the mean of 2 values is a slice',
        '1 day of 1440 values, kept as 4 slices of 6 hours: the mean of 360 values is a slice',
      ],
    },
  });
  const minus = Buffer.from('{"days":[{"date":"2023-03-01","activity":[1,-0,-0.0,1]}]}');
  const { days: plus } = await (await collectJsonDays(bodyOf(minus, 9))).finish(recent);
  t.ok(Object.is(plus[0]?.activity[1], 0) && Object.is(plus[0]?.activity[2], 0), 'no -0 is kept');
  const sum = await finish(days, { ...recent, aggregation: 'sum' });
  t.strictSame(
    sum.days.map(({ activity }) => activity),
    // 360 times the means above.
    [
      [4, 12, 20, 28],
      [4, 5, 0, 7],
      [64_620, 194_220, 323_820, 453_420],
    ],
  );
  const finer = await finish(days.slice(0, 1), { ...recent, aggregation: 'sum', activitySize: 8 });
  t.strictSame(finer.days[0]?.activity, [2, 2, 2.5, 2.5, 0, 0, 3.5, 3.5]);

  const unknown: DayRule = { ...recent, activitySize: undefined };
  t.equal((await finish(days, unknown)).activitySize, 144, '1440 is kept by ten minutes');
  t.strictSame((await finish(days, unknown)).days[2]?.activity.slice(0, 2), [4.5, 14.5]);
  t.equal((await finish(days.slice(0, 2), unknown)).activitySize, 8, 'the longest there is');

  const named = await collectJsonDays(
    bodyOf(Buffer.from(JSON.stringify({ days, name: 'a', referenceYear: 2023 })), 50),
  );
  t.strictSame(named.envelope, { days: [], name: 'a', referenceYear: 2023 });
  t.equal(named.elements, 3);
});

t.test('reference and recent', async t => {
  const reference: JsonDayRule = { ...recent, kind: 'reference', referenceYear: 2023 };
  const answer = await finish(steady(14), reference);
  t.strictSame(
    answer.summary.warnings.map(({ code }) => code),
    ['lessThanAYear'],
  );
  const few = await refusal(finish(steady(13), reference), InvalidInput);
  t.equal(few.code, 'referenceTooShort');
  const { summary } = await finish([...steady(364), day('2023-12-31', 24)], reference);
  t.strictSame(summary.warnings, []);
  const without = [...steady(20), day('2023-12-31', 4)];
  t.strictSame(
    (await finish(without, reference)).summary.warnings.map(({ code }) => code),
    ['daysMissing'],
  );
  t.strictSame(await faultsOf([...steady(14), day('2022-12-31', 4), day('2024-01-01', 4)], reference), [
    '/days/14/date outsideYear',
    '/days/15/date outsideYear',
  ]);
  t.equal(
    (await finish([day('2022-12-31', 4), day('2024-01-01', 4)])).days.length,
    2,
    'recent data: any year',
  );

  const first = dayNumber('1800-01-01');
  const many = Array.from({ length: 50_001 }, (_, index) => day(dateOf(first + index), 4));
  t.strictSame(await faultsOf(many), ['/days/50000 tooManyDays']);
  t.equal((await finish(many.slice(1))).days.length, 50_000);
});
