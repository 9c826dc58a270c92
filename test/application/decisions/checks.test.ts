import t from 'tap';
import { engine, engines } from '../../../analysis/engine.js';
import type { Analyst } from '../../../application/ports/analyst.js';
import type { Exported } from '../../../auditing/eventBytes.js';
import { processManagerName } from '../../../domain/events.js';
import { checkedLog } from '../../helpers/decisions/checkedLog.js';
import { decidedBy, exported, forged } from '../../helpers/decisions/decided.js';
import { dayOf, id, instant, learnedOf } from '../../helpers/data/samples.js';
import { exactList } from '../../helpers/exactList.js';

// Checks of one source whose models are written by hand, decided again from its log.

const analyst = { run: async () => ({ ...learnedOf(2), engine }) } as unknown as Pick<Analyst, 'run'>;

/** A log as an export has it, whose checks and their alerts have the metadata and time of the process manager. */
const ofService = (log: ReturnType<typeof checkedLog>): readonly Exported[] => {
  let [cause, at] = ['', ''];
  return exported(log.events).map(event => {
    if (!event.stream.startsWith('alerts-')) return event;
    if (event.type === 'DaysChecked')
      [cause, at] = [(event.data as { readonly cause: { id: string } }).cause.id, event.at];
    return { ...event, at, metadata: { ...event.metadata, by: processManagerName, cause } };
  });
};

/** Two imports of days, the second one far from the models, and their checks. */
const twoChecks = (): readonly Exported[] => {
  const log = checkedLog();
  log.record(log.importDates(['2024-03-04']));
  log.record(log.importDates(['2024-03-05'], { dayOn: date => dayOf(date, 1000) }));
  return ofService(log);
};

/** The decisions of a log again; findings about checks and alerts only. */
const checksOf = async (log: readonly Exported[]) => {
  const { findings, ...counts } = await decidedBy(analyst, log);
  return { ...counts, findings: findings.filter(({ stream }) => !stream.startsWith('source-')) };
};

const isCheck = ({ type }: Exported): boolean => type === 'DaysChecked';

t.test('checks are repeated; one that says not to know its own cause is reported', async t => {
  const log = twoChecks();
  t.match(await checksOf(log), { findings: exactList(), proved: 4 });
  const last = log.findLast(isCheck)!;
  const raised = log.filter(({ at, type }) => type === 'AlertRaised' && at === last.at);
  t.equal(raised.length, 1);
  const unknowing = forged(
    log.filter(event => !raised.includes(event)),
    ({ id }) => id === last.id,
    ({ knowledge, ...data }) => ({
      ...data,
      days: [],
      knowledge: { ...(knowledge as object), days: (knowledge as { days: number }).days - 1 },
    }),
  );
  t.match(
    (await checksOf(unknowing)).findings,
    exactList({ id: last.id, detail: /knowledge. lacks its own cause/ }),
  );
});

t.test('a check that names an older engine than one before it is not proved', async t => {
  const log = twoChecks();
  const older = engines.at(-2);
  const [first, second] = log.filter(isCheck);
  const isUndecided = { because: /^they name an older engine/, count: 1, first: RegExp(second!.id) };
  const naming = (chosen: Exported | undefined) =>
    checksOf(
      forged(
        log,
        ({ id }) => id === chosen?.id,
        data => ({ ...data, engine: older }),
      ),
    );
  const downgraded = await naming(second);
  t.match(downgraded.reasons, exactList(isUndecided, { because: /^they follow from a check/ }));
  t.strictSame((await naming(first)).reasons, [], 'an upgrade');
});

t.test('a missing check before another one is awaited for an hour, and reported after it', async t => {
  const log = twoChecks();
  const first = log.find(isCheck)!;
  const live = log.filter(({ at }) => at !== first.at);
  const before = await checksOf(log);
  t.match(await checksOf(live), { awaited: before.awaited + 1, findings: exactList() });
  const last = live.at(-1)!;
  const later = {
    ...last,
    stream: 'days-2',
    type: 'ClockTicked',
    at: '2099-01-01T00:00:00.000Z',
    id: id(77),
  };
  const { awaited, findings } = await checksOf([...live, { ...later, data: { deadline: instant(1) } }]);
  t.equal(awaited, 1, 'the tick of the other source');
  t.match(findings, exactList({ id: first.metadata.cause, detail: /its check is missing/ }));
});

t.test('after an event of an unknown type the decisions of its source are not decided', async t => {
  const log = twoChecks();
  const [first] = log.filter(isCheck);
  const at = log.indexOf(first!);
  const unknown = { ...log[at - 1]!, id: id(77), type: 'DaysForgotten', revision: 2 };
  const { findings, reasons } = await checksOf([...log.slice(0, at), unknown, ...log.slice(at)]);
  t.strictSame(findings, []);
  t.match(
    reasons,
    exactList(
      { because: 'this build does not know their type or version', count: 1 },
      { because: 'an earlier event has a newer version', count: 4 },
    ),
  );
});
