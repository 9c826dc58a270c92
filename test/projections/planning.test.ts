import t from 'tap';
import { replacedRule } from '../../application/requests/useCases/changePlan.js';
import { datesOfYear } from '../../domain/dates.js';
import type { DayCycle } from '../../domain/planning/dayCycles.js';
import { id } from '../helpers/data/samples.js';
import {
  through,
  holding,
  checks,
  calendar,
  created,
  resetWith,
  replaced,
  lived,
  learnedAssignments,
  learnedRest,
} from '../helpers/data/sourceHistory.js';
import { handWritten } from '../helpers/data/tables.js';
import { exactList } from '../helpers/exactList.js';

t.test('planning: automatic, by hand, cleared, and replaced by new models', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const take = () =>
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
  const { planning } = models;
  t.strictSame(planning.day(2, '2024-03-04'), {
    date: '2024-03-04',
    modelId: null,
    origin: 'automatic',
    reason: 'the source has no models yet',
    reasons: { fr: 'la source n’a pas encore de modèles' },
    share: null,
    alternatives: [],
    working: true,
    dayType: { type: 'ordinary' },
    similar: 'none',
    unseen: 1,
  });
  t.equal(planning.checks(2), null);
  t.strictSame(planning.assignedDays(2), []);
  t.ok(planning.assignedDays(1).length > 0);
  t.strictSame(planning.checks(1), checks);
  t.equal(planning.setBy(2), undefined);
  t.equal(planning.setBy(1), id(5));
  // Sunday 1 January 2023 is assigned to model 1, the next day to model 2, and so on in turn.
  t.match(planning.day(1, '2024-01-07'), {
    modelId: 1,
    origin: 'automatic',
    reason: /Sunday around 7 Jan follows "model 0"/,
  });
  t.match(planning.day(1, '2024-01-08'), { modelId: 2, origin: 'automatic' });
  t.strictSame(
    [...planning.assignments(1)],
    learnedAssignments.map(({ date, model }) => [date, model + 1]),
  );
  t.equal(planning.assignments(2).size, 0);
  const year = planning.year(1, 2024);
  t.strictSame(
    year.map(({ date }) => date),
    datesOfYear(2024),
  );
  t.strictSame(year[7], planning.day(1, '2024-01-08'));

  const plan = (date: string, modelId: number, by: string) =>
    add('source-1', { type: 'DayPlanned', data: { requestId: id(400 + events.length), date, modelId } }, by);
  const automatic = planning.day(1, '2024-01-08');
  t.match(automatic, { alternatives: exactList({ modelId: 1 }), working: true, unseen: 1 / 90 });
  plan('2024-01-08', 1, 'anna');
  take();
  t.strictSame(planning.day(1, '2024-01-08'), {
    date: '2024-01-08',
    modelId: 1,
    origin: 'manual',
    reason: 'set to "model 0" by anna',
    reasons: { fr: 'fixé à «\u00a0model 0\u00a0» par anna' },
    share: automatic.alternatives[0]?.share,
    alternatives: [{ modelId: 2, share: automatic.share }],
    working: true,
    dayType: { type: 'ordinary' },
    similar: 'own',
    unseen: 1 / 90,
  });
  plan('2024-01-08', 2, 'zoë');
  plan('2024-01-09', 2, 'zoë');
  take();
  t.strictSame(
    planning
      .year(1, 2024)
      .filter(({ origin }) => origin === 'manual')
      .map(({ date, reason }) => [date, reason]),
    [
      ['2024-01-08', 'set to "model 1" by zoë'],
      ['2024-01-09', 'set to "model 1" by zoë'],
    ],
  );
  add('source-1', { type: 'DayPlanCleared', data: { requestId: id(450), date: '2024-01-08' } });
  take();
  t.match(planning.day(1, '2024-01-08'), { modelId: 2, origin: 'automatic' });
  t.equal(planning.day(1, '2024-01-09').origin, 'manual');
  const setBy = add('source-1', replaced(2, 3));
  take();
  t.equal(planning.setBy(1), setBy);
  t.equal(planning.checks(1), null, 'replaced models have bounds only');
  t.ok(planning.year(1, 2024).every(({ modelId, origin }) => modelId === 3 && origin === 'automatic'));
  t.strictSame([...planning.assignments(1)], [['2023-01-02', 3]]);
  db.close();
});

t.test('planning: cycles of the last analysis, also by models that people supply', async t => {
  const { events, add } = lived();
  const { models } = holding(events);
  const take = () =>
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
  const { planning, sources } = models;
  const cycle: DayCycle = {
    kind: 'days',
    length: 8,
    first: '2023-01-02',
    evidence: { errorReduction: 0.9, better: 12, of: 12 },
  };
  const learned = resetWith(2, 3, null);
  t.notMatch(planning.day(1, '2024-05-09').reason, /cycle/);
  t.notOk(sources.one(1, '9999-12-31')?.analysis['cycles']);

  if (learned.type === 'ModelsReset')
    add('source-1', { ...learned, data: { ...learned.data, cycles: [cycle] } });
  take();
  t.match(planning.day(1, '2024-05-09').reason, /^day 6 of the cycle of 8 days: /);
  t.match(
    sources.one(1, '9999-12-31')?.analysis['cycles'],
    exactList({
      ...cycle,
      sentence: /^Days repeat in a cycle of 8 days: /,
      sentences: { fr: /^Les jours se répètent selon un cycle de 8 jours/ },
    }),
  );
  add('source-1', replaced(3, 5));
  take();
  t.match(planning.day(1, '2024-05-09').reason, /^day 6 of the cycle of 8 days: /);
  add('source-1', resetWith(4, 6, null));
  take();
  t.notMatch(planning.day(1, '2024-05-09').reason, /cycle/, 'a reset without cycles clears them');
});

t.test('planning: the calendar of the models, and special days', async t => {
  const { events, add } = lived();
  const { db, models } = holding(events);
  const take = () =>
    models.apply(events.slice(Number(models.checkpoint('readModels').position)), through(events));
  const { planning, sources } = models;
  t.strictSame(planning.calendar(1, 2024), { days: [], calendar: null }, 'none');
  t.strictSame(planning.learned(1), { bounds: learnedRest.bounds, hitRate: 0.75, calendar: null });
  t.strictSame(planning.learned(2), { bounds: null, hitRate: null, calendar: null }, 'nobody');
  t.notMatch(planning.day(1, '2024-05-09').reason, /public holiday/);

  add('source-1', resetWith(2, 3, calendar));
  take();
  const { holidays: _, ...shown } = calendar;
  t.strictSame(planning.learned(1).calendar, shown, 'without its dates');
  t.strictSame(sources.one(1, '9999-12-31')?.analysis['calendar'], shown);
  t.match(
    planning.day(1, '2024-05-09').reason,
    /^public holiday Ascension Day: the only reference holiday follows /,
  );
  const days = planning.calendar(1, 2024).days;
  t.strictSame(
    days.filter(({ type }) => type !== 'christmas'),
    [
      { date: '2024-05-09', type: 'holiday', name: 'Ascension Day' },
      { date: '2024-05-10', type: 'bridge', name: null },
    ],
  );
  t.equal(days.length - 2, 16, '1 to 5 January and 21 to 31 December');

  add('source-1', {
    type: 'SpecialDayNamed',
    data: { requestId: id(600), date: '2024-06-21', name: 'Fair' },
  });
  take();
  t.match(
    planning.day(1, '2024-06-21').reason,
    /^special day "Fair"/,
    'a special day is effective immediately',
  );
  t.strictSame(planning.specialDays(1), [{ date: '2024-06-21', name: 'Fair' }]);
  add('source-1', {
    type: 'SpecialDayNamed',
    data: { requestId: id(601), date: '2024-06-21', name: 'Market' },
  });
  take();
  t.match(
    planning.day(1, '2024-06-21').reason,
    /^special day "Market"/,
    'another name is effective immediately',
  );
  add('source-1', replaced(3, 5));
  take();
  t.strictSame(
    planning.learned(1),
    { bounds: null, hitRate: null, calendar: shown },
    'replaced models keep the calendar',
  );
  t.match(planning.day(1, '2024-05-09').reason, /^public holiday/);
  t.match(planning.day(1, '2024-06-21').reason, /^special day "Market"/);
  add('source-1', { type: 'SpecialDayCleared', data: { requestId: id(602), date: '2024-06-21' } });
  take();
  t.notMatch(planning.day(1, '2024-06-21').reason, /special/, 'the special day is cleared');
  t.strictSame([planning.specialDays(1), planning.specialDays(2)], [[], []]);
  add('source-1', resetWith(4, 6, null));
  take();
  t.strictSame(
    planning.calendar(1, 2024),
    { days: [], calendar: null },
    'models learned without a calendar remove it',
  );
  t.equal(sources.one(1, '9999-12-31')?.analysis['calendar'], null);
  db.close();
});

t.test('rules for labels are found and listed however many rules the sources have', t => {
  const { events, add } = handWritten();
  const rule = (n: number, name: string) => ({
    ...{ ruleId: id(n), name, rule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU' },
    ...{ from: '2024-01-01', to: '2024-12-31', dates: ['2024-03-05'] },
  });
  add('source-1', created(1));
  const labels = { site: 'Lyon' };
  const forLabels = { ...rule(700, 'Tuesday late'), labels };
  add('calendar-default', { type: 'CalendarRuleSaved', data: { requestId: id(700), rule: forLabels } });
  for (let n = 1001; n < 2005; n++)
    add('source-1', {
      type: 'CalendarRuleApplied',
      data: { requestId: id(n), rule: rule(n, n === 2004 ? 'Z' : 'Month end') },
    });
  const { db, models } = holding(events);
  t.strictSame(
    replacedRule({ models }, { actor: { tenant: 'default', subject: 's' } }, { labels }, 'Tuesday late'),
    forLabels,
  );
  const listed = [...models.calendarRules.list('default')];
  t.equal(listed.length, 1000);
  t.match(listed.at(-1), { name: 'Tuesday late', sourceId: null, labels }, 'by name');
  db.close();
  t.end();
});
