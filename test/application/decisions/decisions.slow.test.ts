import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { differenceOf } from '../../../application/decisions/tally.js';
import { eventHash, exportLine, type Exported } from '../../../auditing/eventBytes.js';
import { verifier } from '../../../auditing/logVerifier.js';
import { decidedBy, exported, rememberingAnalyst } from '../../helpers/decisions/decided.js';
import { seeded } from '../../helpers/logs/auditLog.js';
import { run } from '../../helpers/process.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { exactList } from '../../helpers/exactList.js';

// Reproduces the decisions of a real log, and of forged logs whose hashes are all valid.

/** A history with all decisions: learned and replaced models, planning, checks in several parts, drift. */
const history = async (): Promise<readonly Exported[]> => {
  const { call, events, stop } = await startService(t, { EVENT_STORE: 'sqlite' });
  const create = async (name: string, count: number): Promise<number> => {
    const json = { name, referenceYear: 2023, days: ordinaryDays('2023-01-01', count), calendar: 'FR' };
    const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
    await analysed(call, body.source.id);
    return body.source.id;
  };
  const importDays = (sourceId: number, first: string, factors: readonly number[]) =>
    call('POST', '/v1/import/days', {
      json: {
        sourceId,
        days: factors.map((factor, n) => {
          const { date, activity } = ordinaryDay(dateOf(dayNumber(first) + n));
          return { date, activity: activity.map((value, hour) => (hour % 5 === 4 ? value : value * factor)) };
        }),
      },
    });
  const plan = (id: number, date: string, modelId: number) =>
    call('PUT', `/v1/planning/${id}/${date}`, { json: { modelId } });
  const name = (id: number, date: string) =>
    call('PUT', `/v1/calendar/${id}/${date}`, { json: { name: 'fair' } });
  const alertIds = async (id: number): Promise<readonly string[]> =>
    (
      await call<{ alerts: { id: string }[] }>('GET', `/v1/alert/list?sourceId=${id}&state=open`)
    ).body.alerts.map(alert => alert.id);
  const flat = (level: number, by: number) => ({
    name: `level ${level}`,
    color: '#0072B2',
    activity: Array<number>(24).fill(level),
    topTolerance: Array<number>(24).fill(level + by),
    bottomTolerance: Array<number>(24).fill(level - by),
  });

  const one = await create('one', 90);
  await importDays(one, '2024-01-01', [1, 1, 3, 1, 1, 1, 0, 1, 1, 1, 2.5, 1]);
  await importDays(one, '2024-03-01', Array<number>(70).fill(1.3));
  const open = await alertIds(one);
  await call('POST', `/v1/alert/${open[0]}/acknowledge`);
  await call('POST', `/v1/alert/${open[0]}/resolve`, { json: { verdict: 'expected', comment: 'a fair' } });
  await plan(one, '2024-01-03', 2);
  await name(one, '2024-01-07');
  // Concurrent requests: some checks and analyses do not know all events before them.
  const two = await create('two', 60);
  await Promise.all([
    call('POST', `/v1/model/reset/${one}/3?coverage=0.95`),
    name(one, '2023-02-14'),
    name(one, '2024-01-11'),
    ...Array.from({ length: 12 }, (_, n) => importDays(two, dateOf(dayNumber('2024-02-01') + n), [n % 3, 1])),
    ...Array.from({ length: 6 }, (_, n) => plan(two, dateOf(dayNumber('2024-02-02') + n), 1 + (n % 2))),
    name(two, '2024-02-03'),
    call('DELETE', `/v1/calendar/${two}/2024-02-03`),
  ]);
  await idle(call);
  await call('POST', `/v1/alert/${open[0]}/reopen`);
  await call('POST', `/v1/model/bulk-replace/${two}`, { json: { models: [flat(20, 10), flat(70, 90)] } });
  await importDays(two, '2024-02-20', [1, 0, 4]);
  await call('DELETE', `/v1/planning/${two}/2024-02-03`);
  await idle(call);
  const all = events().map(({ position: _, ...event }) => event as Exported);
  await stop();
  return all;
};

const log = await history();
const pool = rememberingAnalyst();
t.teardown(pool.close);
const decided = (events: readonly Exported[]) => decidedBy(pool, events);

/** The log with valid revisions and hashes. */
const rechained = (events: readonly Exported[]): readonly Exported[] => {
  const ends = new Map<string, { readonly revision: number; readonly hash: string }>();
  const forged = events.map(event => {
    const before = ends.get(event.stream);
    const placed = { ...event, revision: (before?.revision ?? -1) + 1 };
    const hash = eventHash(placed, before?.hash ?? null);
    ends.set(event.stream, { revision: placed.revision, hash });
    return { ...placed, hash };
  });
  const chain = verifier([]);
  for (const event of forged) chain.take(exportLine(event));
  if (chain.done().findingCount > 0) throw new Error('the forged log has invalid hashes');
  return forged;
};

type Json = Readonly<Record<string, unknown>>;
/** The log with changed data of one event. */
const edited = (at: number, change: (data: Json) => Json): readonly Exported[] =>
  rechained(log.map((event, n) => (n === at ? { ...event, data: change(event.data as Json) } : event)));
const without = (...at: readonly number[]): readonly Exported[] =>
  rechained(log.filter((_, n) => !at.includes(n)));
const places = (type: string, which: (data: Json) => boolean = () => true): number[] =>
  log.flatMap((event, n) => (event.type === type && which(event.data as Json) ? [n] : []));
const first = (type: string, which?: (data: Json) => boolean): number => {
  const [place] = places(type, which);
  if (place === undefined) throw new Error(`the history has no matching ${type}`);
  return place;
};

t.test('decisions: all decisions of the service are reproduced', async t => {
  const result = await decided(log);
  t.match(result, {
    findings: exactList(),
    findingCount: 0,
    undecided: 0,
    undecidedBecause: null,
    awaited: 0,
  });
  const countOf = (type: string): number => places(type).length;
  const decisions = ['SourceCreated', 'ModelsReset', 'ModelsReplaced', 'DaysChecked'];
  const all = [...decisions, 'AlertRaised', 'AlertConfirmed', 'AlertInvalidated', 'AlertsGrouped'];
  t.equal(
    result.proved,
    all.map(countOf).reduce((a, b) => a + b, 0),
    'all decisions',
  );
  for (const type of all) t.ok(countOf(type) > 0, `${countOf(type)} ${type}`);
  const data = log.map(event => event.data as Json);
  t.ok(
    data.some(({ part, last }) => part === 2 && last === true),
    'a check in two parts',
  );
  t.ok(
    data.some(({ kind }) => kind === 'drift'),
    'drift',
  );
});

t.test('decisions: forged events are reported', async t => {
  const alert = first('AlertRaised');
  const changedCurve = (value: unknown): number[] =>
    (value as number[]).map((one, slice) => (slice === 5 ? one * (1 + Number.EPSILON) : one));
  const onFirst = (value: unknown, change: (one: Json) => Json): Json[] =>
    (value as Json[]).map((one, index) => (index === 0 ? change(one) : one));
  const reset = first('ModelsReset');
  const replaced = first('ModelsReplaced');
  const checked = first('DaysChecked', ({ days }) =>
    (days as Json[]).some(day => day['outcome'] === 'abnormal'),
  );
  const planned = first('DayPlanned', ({ date }) => date === '2024-01-03');
  const invalidated = first('AlertInvalidated');
  const cases: readonly (readonly [string, readonly Exported[], number, RegExp])[] = [
    [
      'an upper bound, in its last bit',
      edited(reset, data => ({
        ...data,
        models: onFirst(data['models'], model => ({
          ...model,
          topTolerance: changedCurve(model['topTolerance']),
        })),
      })),
      reset,
      /at \/models\/0\/topTolerance\/5 got/,
    ],
    [
      'a reference day assigned to another model',
      edited(replaced, data => ({
        ...data,
        assignments: onFirst(data['assignments'], assignment => ({
          ...assignment,
          modelId: Number(assignment['modelId']) - 1,
        })),
      })),
      replaced,
      /at \/assignments\/0\/modelId got/,
    ],
    ['the seed', edited(reset, data => ({ ...data, seed: 2 })), reset, /at \/seed got 2, expected 1/],
    [
      'the planned model of an alert',
      edited(alert, data => ({ ...data, plannedModelId: Number(data['plannedModelId']) + 1 })),
      alert,
      /at \/plannedModelId got/,
    ],
    [
      'the planned model of a check',
      edited(checked, data => ({
        ...data,
        days: onFirst(data['days'], day => ({ ...day, plannedModelId: null })),
      })),
      checked,
      /at \/days\/0\/plannedModelId got null/,
    ],
    [
      'a plan made by hand',
      edited(planned, data => ({ ...data, modelId: 1 })),
      first('DaysChecked', ({ cause }) => (cause as Json)['id'] === log[planned]?.id),
      /plannedModelId/,
    ],
    [
      'the criticity of an alert',
      edited(alert, data => ({ ...data, criticity: 0.01 })),
      alert,
      /at \/criticity got 0.01/,
    ],
    [
      'an alert removed',
      without(alert),
      alert,
      /requires AlertRaised .*, which is missing|expected AlertRaised/,
    ],
    ['an alert that was not invalidated', without(invalidated), invalidated, /AlertInvalidated/],
    [
      'an alert added',
      rechained(log.flatMap((event, n) => (n === alert ? [event, { ...event, id: 'forged' }] : [event]))),
      alert + 1,
      /no check requires it|expected/,
    ],
    [
      'a check removed with all its consequences',
      rechained([
        ...log.filter(
          ({ stream, metadata }) =>
            !(stream.startsWith('alerts-') && metadata.cause === log[checked]?.metadata.cause),
        ),
        // A younger log awaits the check.
        { ...(log[0] as Exported), id: 'later', at: '9000-01-01T00:00:00.000Z' },
      ]),
      log.findIndex(event => event.id === log[checked]?.metadata.cause),
      /its check is missing, but a later event was checked/,
    ],
    [
      'a check with one day less',
      edited(checked, data => ({ ...data, days: (data['days'] as Json[]).slice(1) })),
      checked,
      /at \/days\/0/,
    ],
    [
      'a day changed after it was checked',
      edited(
        first('DaysImported', ({ kind }) => kind === 'recent'),
        data => ({
          ...data,
          days: onFirst(data['days'], day => ({ ...day, activity: Array<number>(24).fill(1) })),
        }),
      ),
      first('DaysChecked', ({ cause }) => (cause as Json)['type'] === 'DaysImported'),
      /dayDigest/,
    ],
    [
      'a reference day changed after models were learned',
      edited(
        first('DaysImported', ({ kind }) => kind === 'reference'),
        data => ({
          ...data,
          days: onFirst(data['days'], day => ({ ...day, activity: Array<number>(24).fill(50) })),
        }),
      ),
      reset,
      /ModelsReset does not follow from/,
    ],
    ['an invalid event', edited(checked, () => ({ cause: null })), checked, /cannot be replayed/],
  ];
  for (const [title, forged, at, detail] of cases) {
    const { findings } = await decided(forged);
    // A grouping that lacks the forged event may be found before it.
    const found = findings.find(({ event }) => event === at + 1) ?? findings[0];
    t.match(found, { event: at + 1, stream: /./, detail }, title);
  }
});

t.test('decisions: every random change of a decision is found', async t => {
  const seed = Number(process.env['SEED'] ?? 1);
  t.comment(`seed ${seed}`);
  const random = seeded(seed);
  const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)] as Value;
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value) && value.length > 0) {
      const at = Math.floor(random() * value.length);
      return random() < 0.2 ? value.toSpliced(at, 1) : value.with(at, changed(value[at]));
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const name = pick(Object.keys(value));
      return { ...value, [name]: changed((value as Json)[name]) };
    }
    if (typeof value === 'number') return value + pick([1, -1, 1e-9 * (1 + Math.abs(value))]);
    if (typeof value === 'boolean') return !value;
    return `${String(value)}x`;
  };
  const decisions = ['ModelsReset', 'ModelsReplaced', 'DaysChecked', 'AlertRaised', 'AlertInvalidated'];
  // Replaced models: only the assignments are decided. The `knowledge` of a check is not verified if the result
  // is the same.
  const decidedPart = (data: Json): Json => {
    if ('assignments' in data && !('bounds' in data))
      return { ...data, assignments: changed(data['assignments']) };
    const { knowledge, ...rest } = data;
    return { ...(changed(rest) as Json), ...(knowledge !== undefined && { knowledge }) };
  };
  for (let tries = 0; tries < 20; tries += 1) {
    const at = pick(decisions.flatMap(type => pick(places(type))));
    const forged = edited(at, decidedPart);
    const { findingCount, undecided } = await decided(forged);
    const kept = { was: log[at]?.data, is: forged[at]?.data };
    if (findingCount + undecided === 0)
      t.fail(`${log[at]?.type} ${at}: ${differenceOf(kept.was, kept.is)}`, kept);
  }
});

t.test('decisions: an analysis may know a special day that was named after its request', async t => {
  const { call, events, stop } = await startService(t, { EVENT_STORE: 'sqlite' });
  const json = { name: 'three', referenceYear: 2023, days: ordinaryDays('2023-01-01', 60), calendar: 'FR' };
  const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
  const { id } = body.source;
  await analysed(call, id);
  for (const date of ['2023-01-10', '2023-02-14'])
    await call('PUT', `/v1/calendar/${id}/${date}`, { json: { name: 'fair' } });
  await call('POST', `/v1/model/reset/${id}/2`);
  await idle(call);
  const of = exported(events());
  await stop();
  const named = of.filter(({ type }) => type === 'SpecialDayNamed');
  t.equal(named.length, 2);
  const others = of.filter(
    event => !named.includes(event) && !named.some(one => one.id === event.metadata.cause),
  );
  const cut = others.findLastIndex(({ type }) => type === 'ModelsReset');
  /** The log up to the models, with the special days before or after their request. */
  const moved = (count: number): readonly Exported[] =>
    rechained([
      ...others.slice(0, cut - 1),
      ...named.slice(count),
      ...others.slice(cut - 1, cut),
      ...named.slice(0, count),
      ...others.slice(cut, cut + 1),
    ]);
  t.equal(others[cut - 1]?.type, 'ModelsResetRequested');
  for (const count of [0, 1, 2]) t.match(await decided(moved(count)), { findingCount: 0, undecided: 0 });
  const without = rechained(others.slice(0, cut + 1));
  t.match((await decided(without)).findings[0], { detail: /ModelsReset does not follow/ });
});

t.test('decisions: those of another engine are not verified', async t => {
  for (const type of ['ModelsReset', 'ModelsReplaced', 'DaysChecked']) {
    const place = places(type).at(-1) ?? 0;
    const result = await decided(edited(place, data => ({ ...data, engine: 'daybook-calendar/1' })));
    t.match(result, { findingCount: 0, undecidedBecause: /by daybook-calendar\/1/ });
    t.ok(result.undecided >= 1);
  }
});

t.test('decisions: an unknown or missing engine, and missing knowledge, are findings', async t => {
  for (const type of ['ModelsReset', 'ModelsReplaced', 'DaysChecked'])
    for (const [other, detail] of [
      ['daybook-other/9', /no release up to this one/],
      [undefined, /does not name its engine/],
    ] as const) {
      const place = places(type).at(-1) ?? 0;
      const forged = edited(place, ({ engine: _, ...data }) =>
        other === undefined ? data : { ...data, engine: other },
      );
      t.match((await decided(forged)).findings[0], { event: place + 1, detail }, `${type} by ${other}`);
    }
  const check = first('DaysChecked');
  const unknowing = edited(check, ({ knowledge: _, ...data }) => data);
  t.match((await decided(unknowing)).findings[0], { event: check + 1, detail: /lacks .knowledge./ });
});

t.test('decisions: actor and time of a decision follow from its cause', async t => {
  const attributed = (place: number, change: (event: Exported) => Exported) =>
    decided(rechained(log.map((event, n) => (n === place ? change(event) : event))));
  const by = (event: Exported): Exported => ({ ...event, metadata: { ...event.metadata, by: 'anna' } });
  for (const type of ['ModelsReset', 'DaysChecked', 'AlertRaised', 'AlertInvalidated']) {
    const place = first(type);
    t.match((await attributed(place, by)).findings[0], { event: place + 1, detail: /by got "anna"/ }, type);
    const early = (event: Exported): Exported => ({ ...event, at: '2020-01-01T00:00:00.000Z' });
    t.match((await attributed(place, early)).findings[0], { event: place + 1, detail: /2020/ }, type);
  }
});

t.test('decisions: a failed analysis and a truncated log are not proved', async t => {
  const reset = places('ModelsReset').at(-1) ?? 0;
  const { requestId } = log[reset]?.data as { readonly requestId: string };
  const failure = { requestId, code: 'analysisFailed', detail: 'no room' };
  const cut = log.slice(0, reset + 1);
  const failed = rechained(
    cut.map((event, n) => (n === reset ? { ...event, type: 'AnalysisFailed', v: 1, data: failure } : event)),
  );
  t.match(await decided(failed), { findingCount: 0, undecidedBecause: /AnalysisFailed/ });
  const last = log.findLastIndex(({ type }) => type === 'DaysChecked');
  const later = { ...(log[0] as Exported), id: 'later', at: '9000-01-01T00:00:00.000Z' };
  const result = await decided(rechained([...log.slice(0, last), later]));
  t.match(result, { awaited: 0, reasons: exactList({ because: /the log continues/, count: 1 }) });
});

t.test('decisions: an event of an unknown version is reported, the others are proved', async t => {
  const place = first('AlertAcknowledged');
  const newer = rechained(log.map((event, n) => (n === place ? { ...event, v: 99 } : event)));
  const { proved, undecided, reasons, findingCount } = await decided(newer);
  t.match(
    reasons,
    exactList(
      { because: /build does not know their type or version/, count: 1 },
      { because: /earlier event/ },
    ),
  );
  t.ok(proved > 20 && undecided > 1 && findingCount === 0, `${proved} proved, ${undecided} undecided`);
});

t.test('decisions: a missing last check is awaited', async t => {
  const last = log.findLastIndex(({ type }) => type === 'DaysChecked');
  t.match(await decided(log.slice(0, last)), { findingCount: 0, undecided: 0, awaited: 1 });
});

t.test('differences', async t => {
  t.equal(differenceOf({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), undefined);
  t.equal(differenceOf({ a: 1, b: 2 }, { b: 2, a: 1 }), undefined, 'names have no order');
  t.equal(
    differenceOf({ a: [1, { 'b/~': 2 }] }, { a: [1, { 'b/~': 3 }] }),
    'at /a/1/b~1~0 got 3, expected 2',
  );
  t.equal(differenceOf([1], [1, 2]), 'at /1 got 2, expected nothing');
  t.equal(differenceOf({ a: [] }, { a: {} }), 'at /a got {}, expected []');
  t.equal(differenceOf(1, '1'), 'at its root got "1", expected 1');
  t.match(differenceOf('x'.repeat(100), `${'x'.repeat(100)}y`), /^at its root got "x{59}…, expected/);
});

t.test('daybook verify --decisions', async t => {
  const dir = t.testdir();
  const verify = async (events: readonly Exported[], ...more: readonly string[]) => {
    writeFileSync(join(dir, 'events.ndjson'), events.map(event => `${exportLine(event)}\n`).join(''));
    return run(['verify', '--log', 'events.ndjson', ...more], {}, { cwd: dir });
  };
  t.match(await verify(log, '--decisions'), {
    code: 3,
    stdout:
      /\n\d+ decisions reproduced with \S+\/\d+, the same to the byte\.\nVerdict: no problem was found, but not proved: no checkpoint was given/,
  });
  const alert = first('AlertRaised');
  const forged = edited(alert, data => ({ ...data, criticity: 0.01 }));
  t.match(await verify(forged), { code: 3 }, 'its hashes are valid');
  t.match(await verify(forged, '--decisions'), {
    code: 1,
    stdout: new RegExp(
      `\nevent ${alert + 1} \\(${log[alert]?.stream} revision \\d+, .*at /criticity got 0.01`,
    ),
  });
  const json = JSON.parse((await verify(forged, '--decisions', '--json')).stdout) as Json;
  // Groupings after the alert have its criticity.
  t.match(json, { clean: false, findingCount: 0, decisions: { findingCount: 4, undecided: 0 } });
  const other = edited(first('ModelsReset'), data => ({ ...data, engine: 'daybook-calendar/1' }));
  const { code, stdout } = await verify(other, '--decisions');
  t.equal(code, 3);
  t.match(
    stdout,
    /\n\d+ decisions reproduced .*\n1 decision cannot be repeated: they were computed by another engine; the first: /,
  );
  t.match(stdout, /\nVerdict: no problem was found, but not proved: .*; 1 decision cannot be repeated\.\n/);
  t.notMatch(stdout, /Verdict: proved/);
});

t.test('decisions: rules for labels are those of the calendar of the tenant', async t => {
  const { call, events, stop } = await startService(t, { EVENT_STORE: 'sqlite' });
  const labels = { site: 'Lyon' };
  const create = async (name: string, given: object): Promise<number> => {
    const json = { name, referenceYear: 2023, days: ordinaryDays('2023-01-01', 60), ...given };
    const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
    await analysed(call, body.source.id);
    return body.source.id;
  };
  const save = async (json: object): Promise<string> =>
    (await call<{ id: string }>('POST', '/v1/calendar-rule/create', { json })).body.id;
  const id = await create('four', { labels });
  await call('POST', '/v1/import/days', { json: { sourceId: id, days: ordinaryDays('2024-01-01', 9) } });
  const first = await save({ labels, name: 'Fridays', rule: 'FREQ=WEEKLY;BYDAY=FR' });
  await save({ labels, name: 'First', rule: 'FREQ=MONTHLY;BYMONTHDAY=1' });
  await save({ sourceId: id, name: 'Own', rule: 'FREQ=MONTHLY;BYMONTHDAY=2' });
  await create('five', { labels });
  await call('DELETE', `/v1/calendar-rule/${first}`);
  await call('POST', `/v1/model/reset/${id}/2`);
  await call('POST', `/v1/source/${id}/relearn`);
  await idle(call);
  const of = exported(events());
  await stop();
  t.match(await decided(of), { findingCount: 0, undecided: 0 });

  const forged = (type: string, change: (data: Json) => Json): readonly Exported[] => {
    const at = of.findIndex(event => event.type === type && 'followed' in (event.data as object));
    return rechained(
      of.map((event, n) => (n === at ? { ...event, data: change(event.data as Json) } : event)),
    );
  };
  const withDate = (data: Json): Json => {
    const rule = data['rule'] as Json;
    return { ...data, rule: { ...rule, dates: (rule['dates'] as string[]).slice(1) } };
  };
  const cases: readonly (readonly [readonly Exported[], RegExp])[] = [
    [forged('CalendarRuleApplied', withDate), /CalendarRuleApplied does not follow from/],
    [forged('CalendarRuleApplied', data => ({ ...data, followed: 99 })), /no earlier event is revision 99/],
    [forged('CalendarRuleWithdrawn', data => ({ ...data, ruleId: 'x' })), /does not ask for it/],
  ];
  for (const [log, detail] of cases) t.match((await decided(log)).findings[0], { detail }, String(detail));
});
