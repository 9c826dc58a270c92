// Names of dates by people and by rules: which one holds, and which events a calendar asks for.
import t from 'tap';
import {
  allDatesMax,
  calendar,
  isBehind,
  rulesMax,
  type CalendarCommand,
  type CalendarEvent,
} from '../../domain/planning/calendarRules.js';
import {
  isNamed,
  noSpecialDays,
  renamed,
  specialDayList,
  type AppliedRule,
  type LabelRule,
  type NamingEvent,
} from '../../domain/planning/specialDays.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { source } from '../../domain/source/source.js';
import type { SourceCommand } from '../../domain/source/sourceCommands.js';
import type { SourceEvent } from '../../domain/source/sourceState.js';
import { given } from '../helpers/decisions/decider.js';
import { factsOf, id } from '../helpers/data/samples.js';

const requestId = id(1);
const ruleOf = (ruleId: string, name: string, dates: readonly string[]): AppliedRule => ({
  ...{ ruleId, name, rule: null, from: '2026-01-01', to: '2026-12-31', dates },
});
const labelRule = (ruleId: string, name: string, dates: readonly string[], site = 'Lyon'): LabelRule => ({
  ...ruleOf(ruleId, name, dates),
  labels: { site },
});
const applied = (rule: AppliedRule, followed?: number): NamingEvent => ({
  type: 'CalendarRuleApplied',
  data: { requestId, rule, ...(followed !== undefined && { followed }) },
});
const withdrawn = (ruleId: string, followed?: number): NamingEvent => ({
  type: 'CalendarRuleWithdrawn',
  data: { requestId, ruleId, ...(followed !== undefined && { followed }) },
});
const named = (date: string, name: string): NamingEvent => ({
  type: 'SpecialDayNamed',
  data: { requestId, date, name },
});
const cleared = (date: string): NamingEvent => ({ type: 'SpecialDayCleared', data: { requestId, date } });
const after = (...events: readonly NamingEvent[]) => events.reduce(renamed, noSpecialDays);
const namesAfter = (...events: readonly NamingEvent[]): Readonly<Record<string, string>> =>
  Object.fromEntries(specialDayList(after(...events)).map(({ date, name }) => [date, name]));

t.test(
  'people, then rules of the source, then those for labels; of each kind the one with fewer dates',
  t => {
    const site = labelRule('c', 'Site', ['2026-01-01']);
    const many = ruleOf('b', 'Many', ['2026-01-01', '2026-01-02', '2026-01-03']);
    const few = ruleOf('a', 'Few', ['2026-01-02', '2026-01-04']);
    t.strictSame(namesAfter(applied(site, 0), applied(many), applied(few)), {
      ...{ '2026-01-01': 'Many', '2026-01-02': 'Few', '2026-01-03': 'Many', '2026-01-04': 'Few' },
    });
    t.strictSame(
      namesAfter(applied(few), applied(many), applied(site, 0)),
      namesAfter(applied(site, 0), applied(many), applied(few)),
      'in any order',
    );
    t.strictSame(namesAfter(applied(few), named('2026-01-02', 'Mine'), named('2026-01-01', 'Other')), {
      ...{ '2026-01-01': 'Other', '2026-01-02': 'Mine', '2026-01-04': 'Few' },
    });
    const equals = [ruleOf('y', 'A', ['2026-01-05']), ruleOf('x', 'B', ['2026-01-05'])].map(rule =>
      applied(rule),
    );
    t.strictSame(
      [namesAfter(...equals), namesAfter(...equals.reverse())],
      [{ '2026-01-05': 'A' }, { '2026-01-05': 'A' }],
    );
    t.end();
  },
);

t.test('a removed name stays removed until a person names the date or no rule does', t => {
  const rule = applied(ruleOf('a', 'Rule', ['2026-01-02', '2026-01-04']));
  const removed = [rule, cleared('2026-01-02')];
  t.strictSame(namesAfter(...removed), { '2026-01-04': 'Rule' });
  t.notOk(isNamed(after(...removed), '2026-01-02'));
  t.ok(isNamed(after(...removed), '2026-01-04'));
  t.strictSame(namesAfter(...removed, rule), { '2026-01-04': 'Rule' });
  t.strictSame(namesAfter(...removed, named('2026-01-02', 'Mine')), {
    '2026-01-02': 'Mine',
    '2026-01-04': 'Rule',
  });
  t.strictSame(namesAfter(...removed, withdrawn('a')), {});
  t.strictSame(namesAfter(...removed, withdrawn('a'), rule), { '2026-01-02': 'Rule', '2026-01-04': 'Rule' });
  t.strictSame(namesAfter(cleared('2026-01-02'), rule), { '2026-01-02': 'Rule', '2026-01-04': 'Rule' });
  t.end();
});

const created: SourceEvent = {
  type: 'SourceCreated',
  data: { ...factsOf(1), labels: { site: 'Lyon', floor: '2' }, requestId: id(9), seed: 1 },
};
const apply = (rule: AppliedRule): SourceCommand => ({ type: 'ApplyCalendarRule', requestId, rule });
const follow = (revision: number, ...rules: readonly LabelRule[]): SourceCommand => ({
  type: 'FollowCalendar',
  requestId,
  revision,
  rules,
});

t.test('a rule of a source takes the place of the one with its name, and the same one changes nothing', t => {
  const rule = ruleOf('a', 'Month end', ['2026-01-30']);
  const changed = ruleOf('b', 'Month end', ['2026-01-31']);
  given(t, source, created)
    .when(apply(rule))
    .then(applied(rule) as SourceEvent);
  const before = [created, applied(rule)] as const;
  given(t, source, ...before)
    .when(apply({ ...rule, ruleId: 'b' }))
    .then();
  given(t, source, ...before)
    .when(apply(changed))
    .then(applied({ ...changed, ruleId: 'a', dates: [...rule.dates, ...changed.dates] }) as SourceEvent);
  given(t, source, ...before)
    .when({ type: 'WithdrawCalendarRule', requestId, ruleId: 'a' })
    .then(withdrawn('a') as SourceEvent);
  given(t, source, created).when({ type: 'WithdrawCalendarRule', requestId, ruleId: 'a' }).then();
  t.end();
});

t.test('a later file keeps the dates of the one before it that are before its first one', t => {
  const file = ruleOf('a', 'School', ['2025-12-29', '2026-02-16', '2026-04-13', '2026-10-19']);
  const later = ruleOf('b', 'School', ['2026-04-14', '2026-10-19', '2026-12-21']);
  const dates = ['2026-02-16', '2026-04-13', ...later.dates];
  given(t, source, created, applied(file) as SourceEvent)
    .when(apply(later))
    .then(applied({ ...later, ruleId: 'a', dates }) as SourceEvent);
  given(t, source, created, applied(file) as SourceEvent)
    .when(apply({ ...later, rule: 'FREQ=YEARLY' }))
    .then(applied({ ...later, rule: 'FREQ=YEARLY', ruleId: 'a' }) as SourceEvent);
  const full = Array.from({ length: 1000 }, (_, day) => dateOf(dayNumber('2027-01-01') + day));
  const long = { ...ruleOf('b', 'School', full), to: '2029-12-31' };
  given(t, source, created, applied(file) as SourceEvent)
    .when(apply(long))
    .then(applied({ ...long, ruleId: 'a' }) as SourceEvent);
  t.end();
});

t.test('a source has at most 50 rules of its own with 10,000 dates', t => {
  const many = Array.from({ length: rulesMax }, (_, n) =>
    applied(ruleOf(id(n + 20), `rule ${n}`, ['2026-01-01'])),
  );
  given(t, source, created, ...many)
    .when(apply(ruleOf('x', 'one more', ['2026-01-01'])))
    .rejects('tooManyCalendarRules');
  given(t, source, created, ...many)
    .when(apply(ruleOf('x', 'rule 3', ['2026-01-01', '2026-01-02'])))
    .then(applied(ruleOf(id(23), 'rule 3', ['2026-01-01', '2026-01-02'])) as SourceEvent);
  const long = Array<string>(allDatesMax).fill('2026-01-01');
  given(t, source, created, applied(ruleOf('a', 'long', long)))
    .when(apply(ruleOf('x', 'one more', ['2026-01-01'])))
    .rejects('tooManyCalendarRules');
  given(t, source, created)
    .when(apply(ruleOf('x', 'long', [...long, '2026-01-02'])))
    .rejects('tooManyCalendarRules');
  t.end();
});

t.test('a source follows the rules for its labels', t => {
  const lyon = labelRule('a', 'Fair', ['2026-01-02']);
  const paris = labelRule('b', 'Salon', ['2026-01-03'], 'Paris');
  given(t, source, created)
    .when(follow(4, lyon, paris))
    .then(applied(lyon, 4) as SourceEvent);
  const following = [created, applied(lyon, 4) as SourceEvent] as const;
  given(t, source, ...following)
    .when(follow(4, lyon, paris))
    .then();
  given(t, source, ...following)
    .when(follow(3))
    .then();
  given(t, source, ...following)
    .when(follow(5, paris))
    .then(withdrawn('a', 5) as SourceEvent);
  const changed = { ...lyon, dates: ['2026-01-09'] };
  given(t, source, ...following)
    .when(follow(5, changed))
    .then(applied(changed, 5) as SourceEvent);
  given(t, source, ...following)
    .when({ type: 'WithdrawCalendarRule', requestId, ruleId: 'a' })
    .then();
  const behind = { specials: after(applied(lyon, 4)), labels: { site: 'Paris' } };
  t.ok(isBehind({ revision: 4, rules: [lyon, paris] }, behind));
  t.notOk(isBehind({ revision: 3, rules: [lyon, paris] }, behind), 'an older calendar');
  t.notOk(isBehind({ revision: 4, rules: [] }, { ...behind, specials: noSpecialDays }));
  t.end();
});

t.test('the calendar of a tenant', t => {
  const save = (rule: LabelRule): CalendarCommand => ({ type: 'SaveCalendarRule', requestId, rule });
  const saved = (rule: LabelRule): CalendarEvent => ({
    type: 'CalendarRuleSaved',
    data: { requestId, rule },
  });
  const remove: CalendarCommand = { type: 'DeleteCalendarRule', requestId, ruleId: 'a' };
  const deleted: CalendarEvent = { type: 'CalendarRuleDeleted', data: { requestId, ruleId: 'a' } };
  const fair = labelRule('a', 'Fair', ['2026-01-02']);
  given(t, calendar).when(save(fair)).then(saved(fair));
  given(t, calendar, saved(fair))
    .when(save({ ...fair, ruleId: 'b' }))
    .then();
  const other = { ...fair, ruleId: 'b', labels: { site: 'Paris' } };
  given(t, calendar, saved(fair)).when(save(other)).then(saved(other));
  const changed = { ...fair, ruleId: 'b', rule: 'FREQ=YEARLY;BYYEARDAY=2' };
  given(t, calendar, saved(fair))
    .when(save(changed))
    .then(saved({ ...changed, ruleId: 'a' }));
  given(t, calendar, saved(fair)).when(remove).then(deleted);
  given(t, calendar, saved(fair), deleted).when(remove).then();
  const many = Array.from({ length: rulesMax }, (_, n) =>
    saved(labelRule(id(n + 20), `rule ${n}`, ['2026-01-01'])),
  );
  given(t, calendar, ...many)
    .when(save(fair))
    .rejects('tooManyCalendarRules');
  t.end();
});
