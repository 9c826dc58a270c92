import fc from '../helpers/property.js';
import t from 'tap';
import { alerts, type AlertsCommand } from '../../domain/alerts/alerts.js';
import {
  alertStates,
  verdicts,
  type AlertState,
  type AlertsEvent,
  parseAlertId,
  stateOfAlert,
} from '../../domain/alerts/alertsState.js';
import {
  checkCauses,
  type CheckedSilence,
  type CheckCause,
  type Knowledge,
} from '../../domain/alerts/checks.js';
import type { AlertKind, Finding, Outcome, SilenceFinding } from '../../domain/alerts/findings.js';
import { foldFrozen, foldsInHalves, given, play } from '../helpers/decisions/decider.js';
import { findingOf, id } from '../helpers/data/samples.js';

const date = '2024-03-04';
const alertId = (n: number, on = date): string => `1-${on.replaceAll('-', '')}-${n}`;
const digest = (n: number): string => String(n).padStart(32, '0');
const cause = (n: number, type: CheckCause['type'] = 'DaysImported'): CheckCause => ({ id: id(n), type });

type Judged = {
  readonly on?: string;
  readonly finding: Finding | null;
  readonly digest?: number;
  readonly planned?: number | null;
  /** Version of the models used; the same for all days of a check. */
  readonly version?: number;
  /** Outcome of the day; default: derived from the finding. */
  readonly outcome?: Outcome;
  /** Knowledge of the check; default: the same for all checks. */
  readonly knowledge?: Knowledge;
};
const checkedDay = ({ on = date, finding, digest: ofDay = 1, planned = 1, outcome }: Judged) => ({
  date: on,
  importId: id(900 + ofDay),
  dayDigest: digest(ofDay),
  plannedModelId: planned,
  outcome: outcome ?? (finding ? 'abnormal' : 'normal'),
});

/** A check of days with its cause. */
const check = (cause: CheckCause, days: readonly Judged[], part = 1, last = true): AlertsCommand => ({
  type: 'RecordCheck',
  sourceId: 1,
  cause,
  part,
  last,
  engine: 'test 1',
  modelsVersion: days[0]?.version ?? 4,
  knowledge: days[0]?.knowledge ?? { source: 5, days: 5 },
  keepsAlerts: true,
  confirmsChanges: true,
  confirmsCriticity: true,
  days: days.map(judged => ({ ...checkedDay(judged), finding: judged.finding })),
});

const checked = (
  cause: CheckCause,
  days: readonly (Judged & { readonly standing?: readonly string[] })[],
  part = 1,
  last = true,
): AlertsEvent => ({
  type: 'DaysChecked',
  data: {
    cause,
    part,
    last,
    engine: 'test 1',
    modelsVersion: days[0]?.version ?? 4,
    knowledge: days[0]?.knowledge ?? { source: 5, days: 5 },
    keepsAlerts: true,
    ...((cause.type === 'ChangeAccepted' || cause.type === 'ChangeWithdrawn') && { confirmsChanges: true }),
    ...((cause.type === 'PointsImported' || cause.type === 'DateClosed') && { confirmsCriticity: true }),
    days: days.map(judged => ({ ...checkedDay(judged), standing: judged.standing ?? [] })),
  },
});

const raised = (n: number, { on = date, finding, digest: ofDay = 1, version = 4 }: Judged): AlertsEvent => ({
  type: 'AlertRaised',
  data: {
    ...(finding ?? findingOf(1)),
    alertId: alertId(n, on),
    date: on,
    importId: id(900 + ofDay),
    dayDigest: digest(ofDay),
    modelsVersion: version,
  },
});
const confirmed = (n: number, judged: Judged): AlertsEvent => {
  const { data } = raised(n, judged) as Extract<AlertsEvent, { type: 'AlertRaised' }>;
  return { type: 'AlertConfirmed', data };
};
const invalidated = (n: number, reason: CheckCause['type']): AlertsEvent => ({
  type: 'AlertInvalidated',
  data: { alertId: alertId(n), date, reason },
});
const acknowledged = (n: number): AlertsEvent => ({
  type: 'AlertAcknowledged',
  data: { alertId: alertId(n), date },
});
const resolved = (n: number): AlertsEvent => ({
  type: 'AlertResolved',
  data: { alertId: alertId(n), date, verdict: 'expected', comment: 'works' },
});
const reopened = (n: number): AlertsEvent => ({
  type: 'AlertReopened',
  data: { alertId: alertId(n), date },
});

const ended = (n: number, on = date): AlertsEvent => ({
  type: 'AlertEnded',
  data: { alertId: alertId(n, on), date: on, reason: 'DaysImported' },
});
type RecordCheck = Extract<AlertsCommand, { type: 'RecordCheck' }>;
type DaysChecked = Extract<AlertsEvent, { type: 'DaysChecked' }>;

const acknowledge = (n: number): AlertsCommand => ({ type: 'AcknowledgeAlert', alertId: alertId(n) });
const resolve = (n: number): AlertsCommand => ({
  type: 'ResolveAlert',
  alertId: alertId(n),
  verdict: 'expected',
  comment: 'works',
});
const reopen = (n: number): AlertsCommand => ({ type: 'ReopenAlert', alertId: alertId(n) });

const finding = findingOf(1);
const frozenFinding: Finding = {
  ...findingOf(1),
  kind: 'frozen',
  direction: null,
  slices: [{ from: 1, to: 3, direction: 'under', excess: 0 }],
  limits: [],
};
const driftFinding: Finding = { ...findingOf(1), kind: 'drift', limits: ['slice', 'day'] };
const first = raised(1, { finding });

/** Events that bring the first alert of `date` (digest 1, planned model 1) into each state. */
const eventsToState: Readonly<Record<AlertState, readonly AlertsEvent[]>> = {
  open: [first],
  acknowledged: [first, acknowledged(1)],
  resolved: [first, resolved(1)],
  // Only alerts of a silence end automatically; the transitions are the same.
  ended: [first, ended(1)],
  invalidated: [first, invalidated(1, 'ModelsReset')],
};

t.test('transitions: actions of a person in each state', async t => {
  const allowed: readonly (readonly [AlertsCommand, AlertsEvent, readonly AlertState[]])[] = [
    [acknowledge(1), acknowledged(1), ['open']],
    [resolve(1), resolved(1), ['open', 'acknowledged', 'ended']],
    [reopen(1), reopened(1), ['acknowledged', 'resolved']],
  ];
  for (const state of alertStates)
    for (const [command, event, from] of allowed)
      await t.test(`${command.type} of an alert that is ${state}`, async t => {
        const decision = given(t, alerts, ...eventsToState[state]).when(command);
        if (from.includes(state)) return decision.then(event);
        const refusal = decision.rejects('alertTransition');
        t.match(refusal?.message, new RegExp(`is ${state}, expected ${from.join(' or ')} `));
      });
});

t.test('transitions: a reopened alert is open', async t => {
  const history = [first, acknowledged(1), resolved(1), reopened(1)];
  given(t, alerts, ...history)
    .when(acknowledge(1))
    .then(acknowledged(1));
  given(t, alerts, ...history)
    .when(resolve(1))
    .then(resolved(1));
  given(t, alerts, ...history)
    .when(reopen(1))
    .rejects('alertTransition');
});

t.test('transitions: verdict and comment are kept unchanged', async t => {
  for (const verdict of verdicts)
    for (const comment of [null, '', 'Pfingstmontag – vergessen'])
      given(t, alerts, first)
        .when({ type: 'ResolveAlert', alertId: alertId(1), verdict, comment })
        .then({ type: 'AlertResolved', data: { alertId: alertId(1), date, verdict, comment } });
});

t.test('an unknown alert id is not found', async t => {
  for (const wrong of [
    alertId(2),
    alertId(1, '2024-03-05'),
    '2-20240304-1',
    '',
    'toString',
    '1-20240304-01',
    '1-20241399-1',
  ])
    for (const type of ['AcknowledgeAlert', 'ReopenAlert'] as const)
      given(t, alerts, first).when({ type, alertId: wrong }).rejects('alertNotFound');
  given(t, alerts).when(resolve(1)).rejects('alertNotFound');
});

t.test('alert ids contain the source and the date', async t => {
  t.strictSame(parseAlertId('12-20240229-3'), { sourceId: 12, date: '2024-02-29', n: 3 });
  for (const wrong of [
    '',
    '12',
    '12-20240229',
    '12-20240229-0',
    '012-20240229-1',
    '-1-20240229-1',
    '1-2024022-1',
    'x1-20240229-1',
    '1-20240229-1 ',
    '1-20240229-1\n',
    '1-20240229-9999999999',
  ])
    t.equal(parseAlertId(wrong), undefined, JSON.stringify(wrong));
});

type Change = {
  readonly title: string;
  readonly cause: CheckCause['type'];
  readonly judged: Judged;
};
const changes = {
  sameData: { title: 'import of the same values', cause: 'DaysImported', judged: { finding } },
  otherData: { title: 'import of other values', cause: 'DaysImported', judged: { finding, digest: 2 } },
  normalData: {
    title: 'import of normal values',
    cause: 'DaysImported',
    judged: { finding: null, digest: 2 },
  },
  reset: { title: 'reset', cause: 'ModelsReset', judged: { finding, version: 5 } },
  replacement: { title: 'replacement', cause: 'ModelsReplaced', judged: { finding, version: 5 } },
  sameReset: { title: 'check of the models that raised it', cause: 'ModelsReset', judged: { finding } },
  sameReplacement: {
    title: 'check of the replaced models that raised it',
    cause: 'ModelsReplaced',
    judged: { finding },
  },
  fitsSameReset: {
    title: 'check of the models that raised it, now normal',
    cause: 'ModelsReset',
    judged: { finding: null },
  },
  otherDataReset: {
    title: 'check of the same models, other values',
    cause: 'ModelsReset',
    judged: { finding, digest: 2 },
  },
  samePlan: { title: 'plan of the same model', cause: 'DayPlanned', judged: { finding } },
  sameSpecial: { title: 'special day named, same model', cause: 'SpecialDayNamed', judged: { finding } },
  sameSpecialCleared: {
    title: 'special day cleared, same model',
    cause: 'SpecialDayCleared',
    judged: { finding },
  },
  samePlanCleared: { title: 'plan cleared, same model', cause: 'DayPlanCleared', judged: { finding } },
  sameAccepted: { title: 'change accepted, same model', cause: 'ChangeAccepted', judged: { finding } },
  sameWithdrawn: { title: 'change withdrawn, same model', cause: 'ChangeWithdrawn', judged: { finding } },
  otherPlan: {
    title: 'plan of another model',
    cause: 'DayPlanned',
    judged: { finding: findingOf(2), planned: 2 },
  },
  otherPlanCleared: {
    title: 'plan cleared, another model',
    cause: 'DayPlanCleared',
    judged: { finding: findingOf(2), planned: 2 },
  },
  normalPlan: {
    title: 'plan of a model by which the day is normal',
    cause: 'DayPlanned',
    judged: { finding: null, planned: 1 },
  },
  driftData: {
    title: 'import of the same values, now a drift',
    cause: 'DaysImported',
    judged: { finding: driftFinding, outcome: 'drift' },
  },
  driftReportedData: {
    title: 'import of values in a drift that is already reported',
    cause: 'DaysImported',
    judged: { finding: null, digest: 2, outcome: 'drift' },
  },
  driftReset: {
    title: 'check of the models that raised it, now a drift',
    cause: 'ModelsReset',
    judged: { finding: driftFinding, outcome: 'drift' },
  },
  driftReportedPlan: {
    title: 'plan of the same model, a day in a drift that is already reported',
    cause: 'DayPlanned',
    judged: { finding: null, outcome: 'drift' },
  },
  frozenPlan: {
    title: 'plan of the same model, now a flatline',
    cause: 'DayPlanned',
    judged: { finding: frozenFinding },
  },
} as const satisfies Record<string, Change>;
type ChangeName = keyof typeof changes;

/** States of alerts of days. */
type DayAlertState = Exclude<AlertState, 'ended'>;
const dayAlertStates = alertStates.filter(state => state !== 'ended');

/** Effect of a check on an alert: `-` the alert is invalidated, `=` it stays valid, `~` it is confirmed, `+` another is raised. */
const effects: Readonly<Record<ChangeName, Readonly<Record<DayAlertState, string>>>> = {
  sameData: { open: '-+', acknowledged: '-+', resolved: '=', invalidated: '+' },
  otherData: { open: '-+', acknowledged: '-+', resolved: '=+', invalidated: '+' },
  normalData: { open: '-', acknowledged: '-', resolved: '=', invalidated: '' },
  reset: { open: '~', acknowledged: '~', resolved: '=', invalidated: '+' },
  replacement: { open: '~', acknowledged: '~', resolved: '=', invalidated: '+' },
  sameReset: { open: '=', acknowledged: '=', resolved: '=', invalidated: '+' },
  sameReplacement: { open: '=', acknowledged: '=', resolved: '=', invalidated: '+' },
  fitsSameReset: { open: '-', acknowledged: '-', resolved: '=', invalidated: '' },
  otherDataReset: { open: '-+', acknowledged: '-+', resolved: '=+', invalidated: '+' },
  samePlan: { open: '=', acknowledged: '=', resolved: '=', invalidated: '+' },
  sameSpecial: { open: '=', acknowledged: '=', resolved: '=', invalidated: '+' },
  sameSpecialCleared: { open: '=', acknowledged: '=', resolved: '=', invalidated: '+' },
  samePlanCleared: { open: '=', acknowledged: '=', resolved: '=', invalidated: '+' },
  sameAccepted: { open: '~', acknowledged: '~', resolved: '=', invalidated: '+' },
  sameWithdrawn: { open: '~', acknowledged: '~', resolved: '=', invalidated: '+' },
  otherPlan: { open: '~', acknowledged: '~', resolved: '=', invalidated: '+' },
  otherPlanCleared: { open: '~', acknowledged: '~', resolved: '=', invalidated: '+' },
  normalPlan: { open: '-', acknowledged: '-', resolved: '=', invalidated: '' },
  driftData: { open: '-+', acknowledged: '-+', resolved: '=', invalidated: '+' },
  driftReportedData: { open: '-', acknowledged: '-', resolved: '=', invalidated: '' },
  driftReset: { open: '-+', acknowledged: '-+', resolved: '=', invalidated: '+' },
  driftReportedPlan: { open: '-', acknowledged: '-', resolved: '=', invalidated: '' },
  frozenPlan: { open: '-+', acknowledged: '-+', resolved: '=', invalidated: '+' },
};

t.test('checks: effect of each cause on an alert in each state', async t => {
  for (const name of Object.keys(changes) as ChangeName[])
    for (const state of dayAlertStates) {
      const { title, cause: type, judged } = changes[name];
      await t.test(`${title}, alert ${state}`, async t => {
        const effect = effects[name][state];
        const standing = effect.includes('=') ? [alertId(1)] : [];
        given(t, alerts, ...eventsToState[state])
          .when(check(cause(50, type), [judged]))
          .then(
            checked(cause(50, type), [{ ...judged, standing }]),
            ...(effect.includes('-') ? [invalidated(1, type)] : []),
            ...(effect.includes('~') ? [confirmed(1, judged)] : []),
            ...(effect.includes('+') ? [raised(2, judged)] : []),
          );
      });
    }
});

t.test('checks: a confirmed alert keeps its state and has the new finding', async t => {
  const judged: Judged = { finding: findingOf(2, 0.75), planned: 2, version: 5 };
  const other: Judged = { finding, version: 6 };
  const history = [first, acknowledged(1), confirmed(1, judged)];
  given(t, alerts, ...history)
    .when(acknowledge(1))
    .rejects('alertTransition');
  given(t, alerts, ...history)
    .when(resolve(1))
    .then(resolved(1));
  given(t, alerts, ...history)
    .when(check(cause(2, 'ModelsReset'), [judged]))
    .then(checked(cause(2, 'ModelsReset'), [{ ...judged, standing: [alertId(1)] }]));
  given(t, alerts, ...history)
    .when(check(cause(2, 'ModelAnomalyChanged'), [other]))
    .then(checked(cause(2, 'ModelAnomalyChanged'), [other]), confirmed(1, other));
});

t.test('checks of older versions replaced the alerts of other models', async t => {
  const judged: Judged = { finding, version: 5 };
  const of = cause(2, 'ModelsReset');
  const { keepsAlerts: _, ...older } = check(of, [judged]) as RecordCheck;
  const { keepsAlerts: __, ...data } = (checked(of, [judged]) as DaysChecked).data;
  given(t, alerts, first)
    .when(older)
    .then({ type: 'DaysChecked', data }, invalidated(1, 'ModelsReset'), raised(2, judged));
});

t.test('checks of older versions kept alerts as they were when a change was accepted', async t => {
  const judged: Judged = { finding: findingOf(1, 0.75) };
  const of = cause(2, 'ChangeAccepted');
  const { confirmsChanges: _, ...older } = check(of, [judged]) as RecordCheck;
  const same = checked(of, [{ ...judged, standing: [alertId(1)] }]) as DaysChecked;
  const { confirmsChanges: __, ...data } = same.data;
  given(t, alerts, first).when(older).then({ type: 'DaysChecked', data });
});

t.test('checks: a first finding raises an alert, a normal day does not', async t => {
  given(t, alerts)
    .when(check(cause(1), [{ finding }]))
    .then(checked(cause(1), [{ finding }]), first);
  given(t, alerts)
    .when(check(cause(1), [{ finding: null }]))
    .then(checked(cause(1), [{ finding: null }]));
  given(t, alerts)
    .when(check(cause(1), []))
    .then(checked(cause(1), []));
});

t.test('checks: a gap on a day without a plan is kept while there is no plan', async t => {
  const gap: Finding = { ...findingOf(null), kind: 'gap', direction: null, slices: [] };
  const judged = { finding: gap, planned: null };
  given(t, alerts, raised(1, judged))
    .when(check(cause(2, 'DayPlanCleared'), [judged]))
    .then(checked(cause(2, 'DayPlanCleared'), [{ ...judged, standing: [alertId(1)] }]));
});

t.test('checks: alerts of drifts and flatlines follow the same rules as others', async t => {
  for (const finding of [driftFinding, frozenFinding]) {
    const judged: Judged = { finding, outcome: finding.kind === 'drift' ? 'drift' : 'abnormal' };
    given(t, alerts)
      .when(check(cause(2), [judged]))
      .then(checked(cause(2), [judged]), raised(1, judged));
    given(t, alerts, raised(1, judged), acknowledged(1))
      .when(check(cause(2, 'DayPlanned'), [judged]))
      .then(checked(cause(2, 'DayPlanned'), [{ ...judged, standing: [alertId(1)] }]));
    given(t, alerts, raised(1, judged))
      .when(check(cause(2), [{ ...judged, digest: 2 }]))
      .then(
        checked(cause(2), [{ ...judged, digest: 2 }]),
        invalidated(1, 'DaysImported'),
        raised(2, { ...judged, digest: 2 }),
      );
    given(t, alerts, raised(1, judged), resolved(1))
      .when(check(cause(2, 'ModelsReset'), [judged]))
      .then(checked(cause(2, 'ModelsReset'), [{ ...judged, standing: [alertId(1)] }]));
  }
});

t.test('checks: each day is decided separately, all events are in one append', async t => {
  const other = { on: '2024-03-05', finding };
  const normal = { on: '2024-04-05', finding: null };
  given(t, alerts, first)
    .when(check(cause(2), [{ finding, digest: 2 }, other, normal]))
    .then(
      checked(cause(2), [{ finding, digest: 2 }, other, normal]),
      invalidated(1, 'DaysImported'),
      raised(2, { finding, digest: 2 }),
      raised(1, other),
    );
});

t.test('checks: cause and part identify a check', async t => {
  const judged = { finding };
  const history = [checked(cause(1), [judged], 1, false), first];
  given(t, alerts, ...history)
    .when(check(cause(1), [judged], 1, false))
    .then();
  given(t, alerts, ...history)
    .when(check(cause(1), [{ finding: null, digest: 9 }], 1, true))
    .then();
  given(t, alerts, ...history)
    .when(check(cause(1), [{ on: '2024-03-09', finding }], 2))
    .then(checked(cause(1), [{ on: '2024-03-09', finding }], 2), raised(1, { on: '2024-03-09', finding }));
  given(t, alerts, ...history)
    .when(check(cause(2), [{ on: '2024-03-09', finding: null }]))
    .then(checked(cause(2), [{ on: '2024-03-09', finding: null }]));
});

t.test('checks: alert ids of a date are never reused', async t => {
  const history = [first, invalidated(1, 'ModelsReset'), raised(2, { finding }), resolved(2)];
  given(t, alerts, ...history)
    .when(check(cause(9), [{ finding, digest: 2 }]))
    .then(
      checked(cause(9), [{ finding, digest: 2, standing: [alertId(2)] }]),
      raised(3, { finding, digest: 2 }),
    );
});

t.test('reopening is refused while another alert of the date is unprocessed', async t => {
  const two = [first, resolved(1), raised(2, { finding, digest: 2 })];
  const refusal = given(t, alerts, ...two)
    .when(reopen(1))
    .rejects('alertTransition');
  t.match(refusal?.message, new RegExp(`unprocessed alert ${alertId(2)}`));
  given(t, alerts, ...two, acknowledged(2))
    .when(reopen(1))
    .rejects('alertTransition');
  given(t, alerts, ...two, resolved(2))
    .when(reopen(1))
    .then(reopened(1));
  given(t, alerts, ...two, invalidated(2, 'ModelsReset'))
    .when(reopen(1))
    .then(reopened(1));
  given(t, alerts, first, resolved(1), raised(1, { on: '2024-03-05', finding }))
    .when(reopen(1))
    .then(reopened(1));
});

// Silences

const silenceFinding: SilenceFinding = {
  ...{ kind: 'noData', direction: null, criticity: 1, slices: [], looksLikeAnomaly: false },
  ...{ plannedModelId: null, closestModelId: null, betterModelId: null },
  silence: {
    ...{ since: '2024-03-03T06:00:00.000Z', deadline: '2024-03-04T18:00:00.000Z', lastDate: '2024-03-02' },
    ...{ intervalMinutes: 2160, origin: 'learned' },
  },
};
const silenceOn = (on: string, key = 'a'): CheckedSilence => ({
  ...{ date: on, finding: silenceFinding, importId: id(901), key },
});
const silenceCheck = (
  n: number,
  silence: CheckedSilence | null,
  type: CheckCause['type'] = 'ClockTicked',
) => ({
  ...(check(cause(n, type), []) as Extract<AlertsCommand, { type: 'RecordCheck' }>),
  silence,
});
const silenceRaised = (n: number, on: string, key = 'a'): AlertsEvent => ({
  type: 'AlertRaised',
  data: {
    ...silenceFinding,
    ...{ alertId: alertId(n, on), date: on, importId: id(901), dayDigest: key, modelsVersion: 4 },
  },
});
const tickChecked = (n: number, type: CheckCause['type'] = 'ClockTicked') => checked(cause(n, type), []);

t.test('silences: a clock tick raises one alert of the source, an import ends it', async t => {
  given(t, alerts)
    .when(silenceCheck(1, silenceOn(date)))
    .then(tickChecked(1), silenceRaised(1, date));
  given(t, alerts, silenceRaised(1, date))
    .when(silenceCheck(2, silenceOn('2024-03-09', 'b')))
    .then(tickChecked(2));
  for (const life of [[silenceRaised(1, date)], [silenceRaised(1, date), acknowledged(1)]])
    given(t, alerts, ...life)
      .when(silenceCheck(2, null, 'DaysImported'))
      .then(tickChecked(2, 'DaysImported'), ended(1));
  for (const life of [
    [],
    [silenceRaised(1, date), resolved(1)],
    [silenceRaised(1, date), ended(1)],
    [silenceRaised(1, date), ended(1), resolved(1)],
  ])
    given(t, alerts, ...life)
      .when(silenceCheck(2, null, 'DaysImported'))
      .then(tickChecked(2, 'DaysImported'));
});

t.test('silences: one alert for each silence', async t => {
  for (const life of [
    [silenceRaised(1, date), resolved(1)],
    [silenceRaised(1, date), ended(1)],
  ]) {
    given(t, alerts, ...life)
      .when(silenceCheck(2, silenceOn(date)))
      .then(tickChecked(2));
    given(t, alerts, ...life)
      .when(silenceCheck(2, silenceOn(date, 'b')))
      .then(tickChecked(2), silenceRaised(2, date, 'b'));
  }
});

t.test('silences: alerts of a silence and of a day on one date are independent', async t => {
  given(t, alerts, silenceRaised(1, date))
    .when(check(cause(2), [{ finding }]))
    .then(checked(cause(2), [{ finding }]), raised(2, { finding }));
  given(t, alerts, silenceRaised(1, date))
    .when(check(cause(2, 'ModelsReset'), [{ finding: null }]))
    .then(checked(cause(2, 'ModelsReset'), [{ finding: null }]));
  given(t, alerts, first)
    .when(silenceCheck(2, silenceOn(date)))
    .then(tickChecked(2), silenceRaised(2, date));
  const both = silenceCheck(2, silenceOn(date));
  given(t, alerts)
    .when({ ...both, days: [{ ...checkedDay({ finding }), finding }] })
    .then(checked(cause(2, 'ClockTicked'), [{ finding }]), first, silenceRaised(2, date));
});

t.test('silences: a reopened alert is the alert of the present silence', async t => {
  const life = [silenceRaised(1, date), ended(1), resolved(1)];
  given(t, alerts, ...life, reopened(1))
    .when(silenceCheck(2, null, 'DaysImported'))
    .then(tickChecked(2, 'DaysImported'), ended(1));
  const refusal = given(t, alerts, ...life, silenceRaised(1, '2024-03-09', 'b'))
    .when(reopen(1))
    .rejects('alertTransition');
  t.match(refusal?.message, /the source has the unprocessed alert 1-20240309-1 already/);
  given(t, alerts, ...life, raised(2, { finding }))
    .when(reopen(1))
    .then(reopened(1));
});

t.test('missing dates inside an import: their alert stays valid when imported again', async t => {
  const gap: Finding = { ...finding, kind: 'gap', direction: null, slices: [] };
  const hole = (n: number): AlertsCommand => ({
    ...(check(cause(n), []) as Extract<AlertsCommand, { type: 'RecordCheck' }>),
    days: [{ ...checkedDay({ finding: gap }), outcome: 'gap', missing: true, finding: gap }],
  });
  const holeChecked = (n: number, standing: readonly string[]): AlertsEvent => {
    const event = checked(cause(n), []);
    if (event.type !== 'DaysChecked') throw new Error('no check');
    const day = {
      ...checkedDay({ finding: gap }),
      outcome: 'gap' as const,
      missing: true as const,
      standing,
    };
    return { ...event, data: { ...event.data, days: [day] } };
  };
  given(t, alerts)
    .when(hole(1))
    .then(holeChecked(1, []), raised(1, { finding: gap }));
  given(t, alerts, raised(1, { finding: gap }))
    .when(hole(2))
    .then(holeChecked(2, [alertId(1)]));
  given(t, alerts, raised(1, { finding: gap }))
    .when(check(cause(2), [{ finding: null, digest: 2 }]))
    .then(checked(cause(2), [{ finding: null, digest: 2 }]), invalidated(1, 'DaysImported'));
});

t.test('points: an alert goes on while its day grows, and is confirmed with news', async t => {
  const growing = (
    from: number,
    to: number,
    elapsed: number,
    direction: 'over' | 'under' = 'over',
  ): Finding => ({
    ...finding,
    direction,
    slices: [{ from, to, direction, excess: 2.5 }],
    facts: {
      ...{ plannedAs: { origin: 'automatic', type: 'ordinary', name: null }, deviation: null, limits: [] },
      ...{ widening: 1, soFar: { elapsed, ongoing: to === elapsed } },
    },
  });
  const grown = (n: number, of: Finding, type: CheckCause['type'] = 'PointsImported') =>
    alerts.decide(check(cause(n, type), [{ finding: of, digest: n }]), states.at(-1)!);
  const states = [alerts.initial];
  const happened: string[][] = [];
  const take = (events: readonly AlertsEvent[]): void => {
    states.push(foldFrozen(alerts, states.at(-1)!, events));
    happened.push(events.map(({ type }) => type));
  };
  take(grown(1, growing(8, 9, 9)));
  take(grown(2, growing(8, 10, 10)));
  take(grown(3, growing(8, 11, 11)));
  take(grown(4, growing(8, 12, 12)));
  take(grown(5, growing(8, 12, 13)));
  take(grown(6, growing(8, 12, 14)));
  t.strictSame(happened, [
    ['DaysChecked', 'AlertRaised'],
    ['DaysChecked', 'AlertConfirmed'],
    ['DaysChecked'],
    ['DaysChecked', 'AlertConfirmed'],
    ['DaysChecked', 'AlertConfirmed'],
    ['DaysChecked'],
  ]);
  take(
    alerts.decide(
      { type: 'ResolveAlert', alertId: alertId(1), verdict: 'anomaly', comment: null },
      states.at(-1)!,
    ),
  );
  t.strictSame(
    [
      grown(7, growing(8, 12, 15)),
      grown(7, growing(11, 13, 15)),
      grown(7, growing(8, 12, 15, 'under')),
      grown(7, growing(14, 15, 15)),
      grown(7, { ...growing(8, 12, 15) }, 'DaysImported'),
    ].map(events => events.map(({ type }) => type)),
    [
      ['DaysChecked'],
      ['DaysChecked'],
      ['DaysChecked', 'AlertRaised'],
      ['DaysChecked', 'AlertRaised'],
      ['DaysChecked', 'AlertRaised'],
    ],
    'after a verdict only another stretch or direction raises an alert; days do, as ever',
  );
});

t.test('points: an alert is confirmed when it has become more critical, by checks that say so', async t => {
  const criticities = [0.61, 0.64, 0.65, 0.66, 0.5, 0.98, 0.985, 0.99];
  const typesOf = (rules: { readonly confirmsCriticity: boolean }) => {
    let state = alerts.initial;
    return criticities.map((criticity, i) => {
      const of = check(cause(i + 1, 'PointsImported'), [
        { finding: { ...finding, criticity }, digest: i + 1 },
      ]);
      const events = alerts.decide({ ...(of as RecordCheck), ...rules }, state);
      state = foldFrozen(alerts, state, events);
      const said = events.find(({ type }) => type === 'DaysChecked') as DaysChecked;
      t.equal(said.data.confirmsCriticity, rules.confirmsCriticity ? true : undefined);
      return events.at(-1)?.type;
    });
  };
  const [confirmed, same] = ['AlertConfirmed', 'DaysChecked'];
  t.strictSame(typesOf({ confirmsCriticity: true }), [
    'AlertRaised',
    same,
    confirmed,
    same,
    same,
    confirmed,
    same,
    confirmed,
  ]);
  t.strictSame(typesOf({ confirmsCriticity: false }), ['AlertRaised', ...Array(7).fill(same)]);
});

t.test('several alerts: only those in an allowed state change', async t => {
  const other = (n: number, on: string): AlertsEvent => raised(n, { on, finding });
  const history = [
    first,
    other(1, '2024-03-05'),
    { type: 'AlertAcknowledged', data: { alertId: alertId(1, '2024-03-05'), date: '2024-03-05' } },
    other(1, '2024-03-06'),
    {
      type: 'AlertInvalidated',
      data: { alertId: alertId(1, '2024-03-06'), date: '2024-03-06', reason: 'ModelsReset' },
    },
  ] as const satisfies readonly AlertsEvent[];
  const alertIds = [
    alertId(1),
    alertId(1, '2024-03-05'),
    alertId(1, '2024-03-06'),
    alertId(9),
    '2-20240304-1',
    alertId(1),
    'nonsense',
  ];
  given(t, alerts, ...history)
    .when({ type: 'AcknowledgeAlerts', alertIds })
    .then(acknowledged(1));
  const judged = { verdict: 'expected', comment: 'works' } as const;
  given(t, alerts, ...history)
    .when({ type: 'ResolveAlerts', alertIds, ...judged })
    .then(resolved(1), {
      type: 'AlertResolved',
      data: { alertId: alertId(1, '2024-03-05'), date: '2024-03-05', ...judged },
    });
  given(t, alerts).when({ type: 'AcknowledgeAlerts', alertIds }).then();
  const state = foldFrozen(alerts, alerts.initial, history);
  t.strictSame(
    alertIds.map(one => stateOfAlert(one, state)),
    ['open', 'acknowledged', 'invalidated', undefined, undefined, 'open', undefined],
  );
});

const anyCommand: fc.Arbitrary<AlertsCommand> = (() => {
  const dates = ['2024-03-04', '2024-03-05', '2024-04-01'];
  const ids = fc
    .tuple(fc.constantFrom(...dates), fc.integer({ min: 1, max: 4 }))
    .map(([on, n]) => alertId(n, on));
  const judged = fc.record({
    finding: fc.constantFrom(null, findingOf(1), findingOf(2), driftFinding, frozenFinding),
    digest: fc.integer({ min: 1, max: 3 }),
    planned: fc.constantFrom(1, 2),
  });
  const type = fc.constantFrom(...checkCauses);
  const checking = fc
    .tuple(
      fc.integer({ min: 1, max: 30 }),
      type,
      fc.integer({ min: 1, max: 2 }),
      fc.subarray(dates, { minLength: 1 }).chain(on => fc.tuple(...on.map(() => judged), fc.constant(on))),
    )
    .map(([n, type, part, parts]) => {
      const on = parts.at(-1) as string[];
      const days = on.map((date, index) => ({ ...(parts[index] as Judged), on: date }));
      return check(cause(n, type), days, part);
    });
  return fc.oneof(
    { weight: 4, arbitrary: checking },
    {
      weight: 2,
      arbitrary: ids.map((id): AlertsCommand => ({ type: 'AcknowledgeAlert', alertId: id })),
    },
    {
      weight: 3,
      arbitrary: ids.map((id): AlertsCommand => ({
        type: 'ResolveAlert',
        alertId: id,
        verdict: 'anomaly',
        comment: null,
      })),
    },
    { weight: 3, arbitrary: ids.map((id): AlertsCommand => ({ type: 'ReopenAlert', alertId: id })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.integer({ min: 31, max: 60 }), fc.constantFrom(null, ...dates), fc.constantFrom('a', 'b'))
        .map(([n, on, key]): AlertsCommand =>
          silenceCheck(n, on === null ? null : silenceOn(on, key), on ? 'ClockTicked' : 'DaysImported'),
        ),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(ids, { maxLength: 4 })
        .map((alertIds): AlertsCommand => ({ type: 'AcknowledgeAlerts', alertIds })),
    },
    {
      weight: 1,
      arbitrary: fc.array(ids, { maxLength: 4 }).map((alertIds): AlertsCommand => ({
        type: 'ResolveAlerts',
        alertIds,
        verdict: 'expected',
        comment: null,
      })),
    },
  );
})();

t.test('alerts: one unprocessed alert a date at most, and verdicts are kept', async t => {
  const eventCounts = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(anyCommand, { minLength: 20, maxLength: 80 }), fc.nat(), (commands, cut) => {
      // State of the alerts, derived from the events only.
      type Entry = {
        state: AlertState;
        readonly date: string;
        digest: string;
        readonly kind: AlertKind;
      };
      let cause = '';
      const alertsById = new Map<string, Entry>();
      const isUnprocessed = ({ state }: Entry) => state === 'open' || state === 'acknowledged';
      const unprocessed = (on: string) =>
        [...alertsById.values()].filter(
          alert => alert.date === on && alert.kind !== 'noData' && isUnprocessed(alert),
        ).length;
      const { events } = play(alerts, commands, (_, decided) => {
        for (const { type, data } of decided) {
          eventCounts.set(type, (eventCounts.get(type) ?? 0) + 1);
          if (type === 'DaysChecked') {
            cause = data.cause.type;
            for (const { standing } of data.days)
              if (standing.some(id => alertsById.get(id)?.state === 'invalidated'))
                throw new Error('an invalidated alert is reported as valid');
            continue;
          }
          if (type === 'AlertRaised') {
            if (alertsById.has(data.alertId)) throw new Error(`${data.alertId} is raised twice`);
            if (parseAlertId(data.alertId)?.date !== data.date)
              throw new Error('the id contains another date');
            for (const alert of alertsById.values())
              if (alert.date === data.date && alert.state === 'resolved' && alert.digest === data.dayDigest)
                throw new Error(`${data.alertId} is raised for data of a resolved alert`);
            alertsById.set(data.alertId, {
              ...{ state: 'open', date: data.date, digest: data.dayDigest, kind: data.kind },
            });
            continue;
          }
          const alert = alertsById.get(data.alertId);
          if (!alert) throw new Error(`${type} of an unknown alert`);
          if (alert.state === 'invalidated') throw new Error(`${type} of an invalidated alert`);
          if ((type === 'AlertInvalidated' || type === 'AlertEnded') && alert.state === 'resolved')
            throw new Error('an alert with a verdict is invalidated');
          if (type === 'AlertConfirmed') {
            if (alert.state === 'resolved') throw new Error('a resolved alert is confirmed');
            const isGrown = cause === 'PointsImported' || cause === 'DateClosed';
            if (alert.digest !== data.dayDigest && !isGrown) throw new Error('other data confirm an alert');
            alert.digest = data.dayDigest;
            continue;
          }
          alert.state = {
            AlertInvalidated: 'invalidated',
            AlertAcknowledged: 'acknowledged',
            AlertResolved: 'resolved',
            AlertReopened: 'open',
            AlertEnded: 'ended',
          }[type] as AlertState;
        }
        for (const { date: on } of alertsById.values())
          if (unprocessed(on) > 1) throw new Error(`two unprocessed alerts on ${on}`);
        if (
          [...alertsById.values()].filter(alert => alert.kind === 'noData' && isUnprocessed(alert)).length > 1
        )
          throw new Error('two unprocessed silences');
      });
      foldsInHalves(alerts, events, cut);
    }),
  );
  for (const type of [
    'AlertConfirmed',
    'AlertInvalidated',
    'AlertAcknowledged',
    'AlertResolved',
    'AlertReopened',
    'AlertEnded',
  ])
    t.ok((eventCounts.get(type) ?? 0) > 0, `the histories contain ${type}`);
});

t.test('alerts: a check that used older data or fewer checks than are recorded is refused', async t => {
  const first = check(cause(1), [{ finding: null }]);
  const state = alerts.decide(first, alerts.initial).reduce(alerts.evolve, alerts.initial);
  const second = check(cause(2), [{ finding: null }]) as RecordCheck;
  const decide = (changes: Partial<RecordCheck>) => () => alerts.decide({ ...second, ...changes }, state);
  t.throws(decide({ checksKnown: 0 }), { code: 'checkOutdated' });
  t.throws(decide({ checksKnown: 2 }), { code: 'checkOutdated' });
  t.throws(decide({ knowledge: { source: 5, days: 4 } }), { code: 'checkOutdated' });
  t.throws(decide({ knowledge: { source: 4, days: 5 } }), { code: 'checkOutdated' });
  t.equal(decide({ checksKnown: 1 })().length, 1);
  t.equal(decide({})().length, 1, 'limits that do not adapt need no checks');
});
