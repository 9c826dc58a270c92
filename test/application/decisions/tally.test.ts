import t from 'tap';
import { engine, engines } from '../../../analysis/engine.js';
import { differenceOf, tally, type Placed } from '../../../application/decisions/tally.js';
import { processManagerName } from '../../../domain/events.js';
import { exactList } from '../../helpers/exactList.js';

const placed = (n: number, facts: object = {}): Placed =>
  ({
    n,
    event: {
      ...{
        type: 'DaysChecked',
        id: `e${n}`,
        stream: 'alerts-1',
        revision: n,
        at: '2024-05-01T12:00:00.000Z',
      },
      ...{ metadata: { by: processManagerName, cause: 'c', correlation: 'r' }, data: { part: 1 } },
      ...facts,
    },
  }) as unknown as Placed;

t.test('the first hundred findings are listed by event, and all are counted', async t => {
  const { report, result } = tally();
  for (let n = 101; n > 0; n -= 1) report(placed(n), 'wrong');
  const { findings, findingCount, proved } = result(2);
  t.strictSame([findings.length, findingCount, proved], [100, 101, 0]);
  t.match(findings[0], { event: 2, to: 2, revision: 2, id: 'e2' });
  t.equal(findings[99]?.event, 101);
});

t.test('a decision has the metadata of its cause, and is at most a minute older', async t => {
  const details = (facts: object, causedAt: string, by?: string): string[] => {
    const { attribute, result } = tally();
    attribute(placed(1, facts), { id: 'c', at: causedAt, metadata: { correlation: 'r' } }, by);
    return result(0).findings.map(({ detail }) => detail);
  };
  t.strictSame(details({}, '2024-05-01T12:01:00.000Z'), []);
  t.match(details({}, '2024-05-01T12:01:00.001Z'), exactList(/^its time .* is before the time of its cause/));
  t.match(
    details({}, '2024-05-01T12:00:00.000Z', 'anna'),
    exactList(/differ from those of its cause: at \/by/),
  );
  const other = { metadata: { by: processManagerName, cause: 'd', correlation: 'r' } };
  t.match(details(other, '2024-05-01T12:00:00.000Z'), exactList(/at \/cause got "d", expected "c"/));
});

t.test(
  'an engine is known, named once a decision has named one, and one whose rules this build has',
  async t => {
    const { isOurs, result } = tally();
    t.notOk(isOurs(placed(1), undefined), 'nothing is named yet');
    t.ok(isOurs(placed(2), engine));
    t.notOk(isOurs(placed(3), undefined));
    t.notOk(isOurs(placed(4), 'daybook-calendar/999'));
    t.notOk(isOurs(placed(5, { type: 'ModelsReset' }), undefined), 'models always name theirs');
    t.notOk(isOurs(placed(6), engines[0]), 'the first engine made no other decisions');
    const { findings, undecided, undecidedBecause, reasons } = result(0);
    t.strictSame(
      findings.map(({ event }) => event),
      [3, 4, 5, 6],
    );
    t.strictSame([undecided, undecidedBecause], [1, 'DaysChecked e1 does not name its engine']);
    t.match(reasons, exactList({ because: 'they do not name their engine', count: 1 }));
  },
);

t.test('a decision that follows is proved, another one is reported with its first difference', async t => {
  const { compare, agree, result } = tally();
  compare(placed(1), { part: 1, left: undefined });
  compare(placed(2), { part: 2 });
  agree(placed(3), undefined);
  agree(placed(4), { detail: 'it has other days' });
  agree(placed(5), 'notInLog');
  agree(placed(6), 'notInLog');
  const { proved, findings, undecided } = result(0);
  t.strictSame([proved, undecided], [1, 2]);
  t.match(
    findings,
    exactList(
      { event: 2, detail: /at \/part got 1, expected 2$/ },
      { event: 4, detail: /: it has other days$/ },
    ),
  );
});

t.test('differences have their JSON Pointer; long values are cut', async t => {
  t.equal(differenceOf({ a: [1, { 'b/c~': 2 }] }, { a: [1, { 'b/c~': 2 }] }), undefined);
  t.equal(
    differenceOf({ a: [1, { 'b/c~': 2 }] }, { a: [1, { 'b/c~': 3 }] }),
    'at /a/1/b~1c~0 got 3, expected 2',
  );
  t.equal(differenceOf({ a: 1 }, {}), 'at /a got nothing, expected 1');
  t.equal(differenceOf([], {}), 'at its root got {}, expected []');
  const [long, other] = ['x'.repeat(100), `${'x'.repeat(99)}y`];
  t.equal(differenceOf(long, other), `at its root got "${'x'.repeat(59)}…, expected "${'x'.repeat(59)}…`);
});
