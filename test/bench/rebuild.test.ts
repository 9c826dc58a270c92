// Series of the benchmark that are rebuilt from their origin: rows, transformations of small files, and the command.
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deflateRawSync, gzipSync } from 'node:zlib';
import t from 'tap';
import { benchmarkFolder, manifestOf } from '../../bench/quality/dataFolder.js';
import {
  carPark,
  cellsOf,
  csvOf,
  firstOf,
  meansOf,
  minutesOf,
  minutesOfStamp,
  rowsOf,
} from '../../bench/rebuild/rows.js';
import { columnsOf, readRData } from '../../bench/rebuild/rData.js';
import { transformations } from '../../bench/rebuild/transformations.js';

const others = (manifestOf(benchmarkFolder) ?? []).filter(({ shipped }) => !shipped);

t.test('each series that is not shipped can be rebuilt', async t => {
  t.strictSame(Object.keys(transformations).sort(), others.map(({ name }) => name).sort());
});

t.test('cells, rows, means and CSV', async t => {
  t.strictSame(cellsOf(',a, b ,"c, d",'), ['', 'a', 'b', 'c, d', '']);
  t.strictSame([...rowsOf('b,a\r\n1,2\n\n3,4\n', ['a'])], [{ a: '2' }, { a: '4' }]);
  t.throws(() => [...rowsOf('b,c\n', ['a'])], /got the columns b, c, expected a/);
  t.throws(() => minutesOf(NaN, 1, 1), /expected a date/);
  const [at, later] = [minutesOf(2024, 2, 29, 61), minutesOfStamp('2024-02-29T01:09:00')];
  t.equal(later - at, 8);
  t.strictSame(
    [
      ...meansOf(
        [
          [at, 1],
          [later, 2],
          [later + 1, 5],
        ],
        10,
      ),
    ],
    [
      [at - 1, 1.5],
      [at + 9, 5],
    ],
  );
  t.strictSame(
    [
      ...firstOf([
        [at, 1],
        [at, 2],
      ]),
    ],
    [[at, 1]],
  );
  t.equal(
    csvOf(
      new Map([
        [at + 2, 1 / 3],
        [at, -2],
        [at - 1, 9],
        [at + 3, 9],
      ]),
      at,
      at + 2,
    ),
    '"date";"value"\n"2024-02-29T01:01:00";"-2"\n"2024-02-29T01:03:00";"0,3333"\n',
  );
});

/** CSV of a day of a series that is made from small files. */
const dayOf = (name: string, date: string, files: readonly (string | Buffer)[]): string =>
  csvOf(
    transformations[name]?.samplesOf(files.map(file => Buffer.from(file))) ?? new Map(),
    minutesOfStamp(`${date}T00:00:00`),
    minutesOfStamp(`${date}T23:59:00`),
  )
    .replaceAll(`${date}T`, '')
    .replaceAll('"', '')
    .trimEnd()
    .split('\n')
    .slice(1)
    .join(' ');

t.test('transformations', async t => {
  const demand = 'year,month,day,hour,demand (MW)\n2011,6,30,23,5\n2011,6,30,24,6\n2011,7,1,1,7\n';
  t.equal(dayOf('load_france', '2011-07-01', [demand]), '00:00:00;5 01:00:00;6 02:00:00;7');
  t.equal(dayOf('load_new_york_state', '2011-06-30', [demand]), '19:00:00;5 20:00:00;6 21:00:00;7');
  const grid = 'id, timestamp, demand\n1, 2019-01-01 00:00:36, 20000\n2, 2019-01-01 00:05:36, 20001\n';
  t.equal(
    dayOf('load_great_britain', '2019-01-01', [`${grid}3, 2019-01-01 00:09:59, 12999\n`, grid]),
    '00:00:00;20000,5',
    'drop-outs and repeated samples are left out',
  );
  const bridge = 'Date,Fremont Bridge West Sidewalk,Fremont Bridge East Sidewalk\n';
  t.equal(
    dayOf('bike_fremont_seattle', '2016-03-01', [
      `${bridge}03/01/2016 12:00:00 AM,4,9\n03/01/2016 12:00:00 PM,1,\n03/01/2016 01:00:00 PM,2,3\n`,
    ]),
    '00:00:00;13 13:00:00;5',
  );
  t.equal(
    dayOf('traffic_dodgers_losangeles', '2005-04-12', [
      '4/12/2005 0:00,5\n4/12/2005 0:05,6\n4/12/2005 0:10,-1\n',
    ]),
    '00:00:00;5,5',
  );
  const sessions =
    '"Start","End"\n2018-12-31 09:00:00,2019-01-01 00:03:20\n2019-01-01 00:02:59,2019-01-01 00:33:00\n';
  t.match(
    dayOf('ev_charging_office_france', '2019-01-01', [sessions]),
    /^00:00:00;1,0333 00:30:00;0,1 01:00:00;0 /,
  );
  const fold = '"date","gas","hour"\n2.010011E7,5.0,1.0\n2.010011E7,6.0,2.0\n2.009011E7,5.0,1.0\n';
  const outliers =
    '"gas","hour","day_year","before1","before2"\n9.0,3.0,10.0,6.0,5.0\n8.0,2.0,10.0,5.0,6.0\n';
  const folds = [fold, ...Array<string>(4).fill('"date","gas","hour"\n'), outliers];
  t.equal(
    dayOf('gas_building_amsterdam', '2010-01-10', folds),
    '00:00:00;5 01:00:00;6 02:00:00;9',
    'an outlier is put where its two hours before are',
  );
  t.equal(dayOf('gas_building_amsterdam', '2009-01-10', folds), '00:00:00;5');
  const trains = (month: string, first: string): string =>
    `month,day,time,a_entry,a_exit,b_entry\n${month} ,1,03:00 - 03:59,-,9,${first}\n` +
    Array.from(
      { length: 23 },
      (_, hour) => `${month} ,,${String((hour + 4) % 24).padStart(2, '0')}:00,1,9,2\n`,
    ).join('') +
    `${month} ,,03:00 - 03:59,,9,2\n${month} ,,04:00 - 04:59,5,9,5\n`;
  const years = [trains('January', '7'), 'month,day,time\n', trains('Febuary', '8')];
  t.match(dayOf('rail_manila_mrt3', '2012-01-01', years), /^03:00:00;7 04:00:00;3 .* 23:00:00;3$/);
  t.equal(
    dayOf('rail_manila_mrt3', '2012-01-02', years),
    '00:00:00;3 01:00:00;3 02:00:00;3 04:00:00;10',
    'hours after midnight are of the next day, an empty field is a gap',
  );
  t.match(dayOf('rail_manila_mrt3', '2014-02-01', years), /^03:00:00;8 /);
  const hours = Array.from(
    { length: 15 },
    (_, index) => `"市政府","2018-01-01 ${String(index + 9).padStart(2, '0')}",1,2`,
  );
  t.match(
    dayOf('rail_taipei_city_hall', '2018-01-01', [hours.join('\n')]),
    /^01:00:00;0 02:00:00;0 03:00:00;0 04:00:00;0 05:00:00;0 09:00:00;3 /,
    'a closed station has no passengers',
  );
});

t.test('transformations: car parks', async t => {
  const head = 'timestamp,other,P8\n';
  const files = [
    `${head}2022-12-31T22:55:01+00:00,1,300\n2022-12-31T23:10:02+00:00,,\n2022-12-31T23:50:02+00:00,,\n`,
    `${head}2023-01-01T00:04:01+00:00,1,\n2023-01-01T00:20:59+00:00,,600\n`,
  ].map(text => Buffer.from(text));
  const rowsFor = (carries: boolean): string[] => {
    const { samplesOf } = carPark({ column: 'P8', places: 585, last: '2023-01-01', carries });
    return [...samplesOf(files)].map(
      ([at, value]) => `${new Date(60_000 * at).toISOString().slice(11, 16)} ${value}`,
    );
  };
  const before = ['00:00 285', '00:10 285', '00:20 285', '00:50 285'];
  t.strictSame(rowsFor(true), [...before, '01:00 285', '01:10 285', '01:20 0', '01:30 0']);
  t.strictSame(rowsFor(false), [...before, '01:20 0', '01:30 0'], 'a day without a value has none yet');
  t.match(transformations['parking_koeln']?.files.at(-1), 'csv/2024/2024-03/2024-03-05.csv');
});

t.test('transformations: a zip file', async t => {
  const text = ' 02-FEB-2013 07:00,Saturday,7,9,"A, B",12\n 02-FEB-2013 08:00,Saturday,8,5,C,0\n';
  const packed = deflateRawSync(text);
  const local = Buffer.alloc(30);
  const central = Buffer.alloc(46);
  central.write('PK\x01\x02', 'latin1');
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(packed.length, 20);
  const zip = Buffer.concat([local, packed, central]);
  t.equal(dayOf('pedestrians_melbourne', '2013-02-02', [zip]), '07:00:00;12');
  t.equal(dayOf('pedestrians_melbourne_bridge', '2013-02-02', [zip]), '', 'a count of zero is a fault there');
  t.throws(() => dayOf('pedestrians_melbourne', '2013-02-02', ['text']), /expected a zip file/);
});

/** A file that R saves: one table with these columns of integers, after a name and an attribute that it has as well. */
const rFile = (name: string, columns: Readonly<Record<string, readonly number[]>>): Buffer => {
  const ints = (...values: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, index) => bytes.writeInt32BE(value, 4 * index));
    return bytes;
  };
  const text = (value: string): Buffer => Buffer.concat([ints(0x40009, value.length), Buffer.from(value)]);
  const symbol = (value: string): Buffer => Buffer.concat([ints(1), text(value)]);
  const texts = (...values: readonly string[]): Buffer =>
    Buffer.concat([ints(16, values.length), ...values.map(text)]);
  const names = Object.keys(columns);
  const vectors = Object.values(columns).map(values => ints(13, values.length, ...values));
  // A column of one integer sequence is stored by its length, first number and step.
  const step = Buffer.alloc(24);
  [2, 1, 1].forEach((value, index) => step.writeDoubleBE(value, 8 * index));
  const kind = [ints(2), symbol('compact_intseq'), ints(254)];
  const sequence = Buffer.concat([ints(238), ...kind, ints(14, 3), step, ints(254)]);
  const attributes = [
    ints(0x402),
    symbol('names'),
    texts('n', ...names),
    ints(0x402, (2 << 8) | 255),
    texts('x'),
    ints(254),
  ];
  const table = [ints(0x213, names.length + 1), sequence, ...vectors, ...attributes];
  return gzipSync(
    Buffer.concat([
      Buffer.from('RDX3\nX\n'),
      ints(3, 0, 0, 5),
      Buffer.from('UTF-8'),
      ints(0x402),
      symbol(name),
      ...table,
      ints(254),
    ]),
  );
};

t.test('transformations: a table of R', async t => {
  const file = rFile('uihc_ed_arrivals', { Date: [16801, 16801], Hour: [0, 23], Arrivals: [8, 3] });
  t.equal(dayOf('er_arrivals_iowa', '2016-01-01', [file]), '00:00:00;8 23:00:00;3');
  const columns = columnsOf(readRData(file).get('uihc_ed_arrivals') ?? { values: [], attributes: new Map() });
  t.strictSame([...columns.keys()], ['n', 'Date', 'Hour', 'Arrivals']);
  t.strictSame(columns.get('n')?.values, [1, 2]);
  t.throws(
    () => dayOf('er_arrivals_iowa', '2016-01-01', [rFile('other', {})]),
    /got no table uihc_ed_arrivals/,
  );
  t.throws(() => readRData(gzipSync('RDX2\nX\n')), /expected a file of R in version 3/);
  t.throws(() => columnsOf({ values: [], attributes: new Map() }), /expected a table/);
});

const script = fileURLToPath(new URL('../../bench/rebuild.js', import.meta.url));
type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };
const run = (...args: readonly string[]): Promise<Ended> =>
  promisify(execFile)(process.execPath, [script, ...args]).then(
    ended => ({ code: 0, ...ended }),
    (error: unknown) => error as Ended,
  );

t.test('the command writes only what has the SHA-256 of the manifest', async t => {
  const folder = t.testdir({ into: {} });
  const into = ['--into', join(folder, 'into'), '--origins', folder];
  const [entry] = others.filter(({ name }) => name === 'load_france');
  if (!entry) throw new Error('no series load_france');
  const path = `${entry.origin.commit}/${entry.origin.file}`;

  const paths: string[] = [];
  const server = createServer(({ url }, answer) => {
    paths.push(url ?? '');
    answer.writeHead(paths.length === 1 ? 404 : 200).end('year,month,day,hour,demand (MW)\n2011,1,1,1,7\n');
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  const from = ['--from', `http://127.0.0.1:${(server.address() as AddressInfo).port}`];

  const offline = await run('--only', 'load_france', '--offline', ...into);
  t.equal(offline.code, 1);
  t.match(offline.stdout, `got no file ${join(folder, new URL(entry.origin.repository).pathname, path)}`);
  t.match(
    (await run('--only', 'load_france', ...from, ...into)).stdout,
    /got status 404 from .*, expected 200/,
  );
  const other = await run('--only', 'load_france', ...from, ...into);
  t.equal(other.code, 1);
  t.match(other.stdout, /got 1 rows with SHA-256 \w+ for load_france.reference.csv, expected 8760 rows with/);
  t.strictSame(paths, Array(2).fill(`${new URL(entry.origin.repository).pathname}/${path}`));
  t.strictSame(readdirSync(join(folder, 'into')), []);
  t.equal((await run('--only', 'nothing', ...into)).code, 2);
});
