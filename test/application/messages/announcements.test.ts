// Any history of alerts, labels and names, filters, crashes and replays: the messages of each receiver, and their bytes.
import { deepStrictEqual } from 'node:assert/strict';
import fc from '../../helpers/property.js';
import t from 'tap';
import { deliveryId } from '../../../application/messages/messages.js';
import type { Recorded } from '../../../domain/events.js';
import type { MessageType, WebhookTarget } from '../../../domain/webhooks/webhookTarget.js';
import { streams } from '../../../domain/streams.js';
import { chance } from '../../helpers/crash/chance.js';
import { findingOf, id } from '../../helpers/data/samples.js';
import {
  accepted,
  deliveryStores,
  refused,
  webhookWorld,
  type CloudEvent,
  type WebhookWorld,
} from '../../helpers/receivers/webhookWorld.js';
import { amount } from '../../helpers/amount.js';

type Change = 'confirm' | 'acknowledge' | 'resolve' | 'reopen' | 'invalidate' | 'end';
type Labels = Readonly<Record<string, string>>;
type Step =
  | { readonly kind: 'raise'; readonly source: number; readonly date: number; readonly criticity: number }
  | { readonly kind: 'silence'; readonly source: number; readonly date: number }
  | { readonly kind: 'change'; readonly alert: number; readonly change: Change; readonly criticity: number }
  | { readonly kind: 'describe'; readonly source: number; readonly name: string; readonly labels: Labels }
  | { readonly kind: 'archive'; readonly source: number }
  | { readonly kind: 'restore'; readonly source: number }
  | { readonly kind: 'mute'; readonly source: number }
  | { readonly kind: 'unmute'; readonly source: number }
  | { readonly kind: 'webhook' }
  | { readonly kind: 'patch'; readonly webhook: number; readonly target: Target }
  | { readonly kind: 'replay'; readonly webhook: number; readonly after: number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'pass'; readonly minutes: number };

type Alert = {
  readonly id: string;
  readonly source: number;
  readonly date: string;
  readonly isSilence: boolean;
  state: string;
  criticity: number;
};
type Expected = {
  readonly event: Recorded;
  readonly alertId: string;
  readonly type: MessageType;
  readonly change: string;
  /** Tells the messages of one event apart. */
  readonly key?: string;
};
type Target = Omit<WebhookTarget, 'host' | 'url'>;
type Receiver = {
  readonly n: number;
  readonly id: string;
  readonly url: string;
  target: Target;
  /** Position of the event that announced each alert. */
  readonly announced: Map<string, bigint>;
  readonly expected: Expected[];
  /** Position after which it knows the alerts; undefined until it is created. */
  from: bigint | undefined;
  /** Its address as in the log. */
  sealed: string;
};

const dateOf = (n: number): string => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10);
const allAlertEvents: readonly MessageType[] = [
  'alert.raised',
  'alert.updated',
  'alert.resolved',
  'source.silent',
];
const eventOf: Readonly<
  Record<Change, { readonly from: readonly string[]; readonly to: string | null; readonly type: string }>
> = {
  confirm: { from: ['open', 'acknowledged'], to: null, type: 'AlertConfirmed' },
  acknowledge: { from: ['open'], to: 'acknowledged', type: 'AlertAcknowledged' },
  resolve: { from: ['open', 'acknowledged'], to: 'resolved', type: 'AlertResolved' },
  reopen: { from: ['resolved'], to: 'open', type: 'AlertReopened' },
  invalidate: { from: ['open', 'acknowledged'], to: 'invalidated', type: 'AlertInvalidated' },
  end: { from: ['open', 'acknowledged'], to: 'ended', type: 'AlertEnded' },
};
const told: Readonly<Record<string, readonly [MessageType, string]>> = {
  AlertAcknowledged: ['alert.updated', 'acknowledged'],
  AlertReopened: ['alert.updated', 'reopened'],
  AlertResolved: ['alert.resolved', 'resolved'],
  AlertInvalidated: ['alert.resolved', 'invalidated'],
  AlertEnded: ['alert.resolved', 'ended'],
};

/** A world with two sources, and the expected messages of each receiver, folded step by step. */
const stage = async (seed: number, targets: readonly Target[]) => {
  const random = chance(seed);
  const world = webhookWorld(random, () => (random.happens(0.2) ? refused(503) : accepted));
  const labels = new Map<number, Labels>([
    [1, {}],
    [2, {}],
  ]);
  for (const source of labels.keys()) await world.createSource(source, 'a');
  const alerts: Alert[] = [];
  const mutes = new Map<number, string>();
  const archived = new Set<number>();
  let muteCount = 0;
  const receivers = targets.map((target, index): Receiver => ({
    ...{ n: index + 1, id: id(501 + index), url: `https://receiver-${index + 1}.example.org/` },
    ...{ target, announced: new Map(), expected: [], from: undefined, sealed: '' },
  }));
  const open = deliveryStores.file();
  let instance = await world.start(open);

  const passes = (alert: Alert, { target }: Receiver): boolean =>
    alert.criticity >= target.minCriticity &&
    (!alert.isSilence || target.events.includes('source.silent')) &&
    Object.entries(target.labels).every(([key, value]) => labels.get(alert.source)?.[key] === value);
  const isHeldBack = ({ source }: Alert): boolean => mutes.has(source) || archived.has(source);
  const isWaiting = ({ state }: Alert): boolean => ['open', 'acknowledged'].includes(state);
  const expect = (event: Recorded, alert: Alert): void => {
    // An archived source has ended its alerts for receivers.
    if (archived.has(alert.source)) return;
    for (const receiver of receivers) {
      const isFirst = !receiver.announced.has(alert.id);
      const isOver = ['resolved', 'invalidated', 'ended'].includes(alert.state);
      const [type, change] = isFirst
        ? ([alert.isSilence ? 'source.silent' : 'alert.raised', 'raised'] as const)
        : (told[event.type] ?? []);
      if (isFirst && (isOver || isHeldBack(alert) || !passes(alert, receiver))) continue;
      if (isFirst) receiver.announced.set(alert.id, event.position);
      if (!type || !change || !receiver.target.events.includes(type)) continue;
      receiver.expected.push({ event, alertId: alert.id, type, change });
    }
  };
  /** Messages about open alerts after the end of a mute, or when a source is archived or restored. */
  const expectAboutOpen = (event: Recorded, source?: number): void => {
    const waiting = alerts.filter(
      alert => isWaiting(alert) && (source === undefined || alert.source === source),
    );
    for (const receiver of receivers)
      for (const alert of waiting) {
        const { announced, expected, target } = receiver;
        const isFirst = !announced.has(alert.id);
        if (isFirst && (isHeldBack(alert) || !passes(alert, receiver))) continue;
        if (!isFirst && source === undefined) continue;
        if (isFirst) announced.set(alert.id, event.position);
        const [type, change] = isFirst
          ? ([alert.isSilence ? 'source.silent' : 'alert.raised', 'raised'] as const)
          : event.type === 'SourceArchived'
            ? (['alert.resolved', 'ended'] as const)
            : (['alert.updated', alert.state === 'open' ? 'reopened' : alert.state] as const);
        const message = { event, alertId: alert.id, type, change, key: alert.id };
        if (target.events.includes(type)) expected.push(message);
      }
  };
  const raise = async (source: number, n: number, criticity: number, isSilence: boolean): Promise<void> => {
    const date = dateOf(n);
    const count = alerts.filter(one => one.source === source && one.date === date).length;
    const alertId = `${source}-${date.replaceAll('-', '')}-${count + 1}`;
    const found = { ...findingOf(null, criticity), importId: id(n), dayDigest: 'd', modelsVersion: 1 };
    const silence = { since: `${date}T00:00:00.000Z`, dueAt: `${date}T12:00:00.000Z`, lastDate: null };
    const event = await world.append(streams.alerts(source), {
      type: 'AlertRaised',
      data: isSilence
        ? ({
            ...found,
            kind: 'noData',
            silence: { ...silence, intervalMinutes: 60, origin: 'given' },
            alertId,
            date,
          } as never)
        : { ...found, alertId, date },
    });
    alerts.push({ id: alertId, source, date, isSilence, state: 'open', criticity });
    expect(event, alerts.at(-1) as Alert);
  };
  const change = async (alert: Alert, name: Change, criticity: number): Promise<void> => {
    const { from, to, type } = eventOf[name];
    if (!from.includes(alert.state) || (alert.isSilence && name === 'confirm')) return;
    const { id: alertId, date } = alert;
    const found = {
      ...findingOf(null, criticity),
      direction: 'under',
      importId: 'i',
      dayDigest: 'd',
      modelsVersion: 2,
    };
    const more = { AlertConfirmed: found, AlertResolved: { verdict: 'anomaly', comment: null } }[type] ?? {
      reason: 'DaysImported',
    };
    const data = { alertId, date, ...more };
    const event = await world.append(streams.alerts(alert.source), { type, data } as never);
    alert.state = to ?? alert.state;
    if (name === 'confirm') alert.criticity = criticity;
    expect(event, alert);
  };

  const play = async (step: Step): Promise<void> => {
    switch (step.kind) {
      case 'raise':
        return raise(step.source, step.date, step.criticity, false);
      case 'silence':
        return raise(step.source, step.date, 1, true);
      case 'change': {
        const alert = alerts[step.alert % Math.max(1, alerts.length)];
        return alert && change(alert, step.change, step.criticity);
      }
      case 'describe': {
        const { source, name, labels: wanted } = step;
        labels.set(source, wanted);
        const data = { name, labels: wanted, place: null, expectedInterval: null, requestId: id(1) };
        await world.append(streams.source(source), { type: 'SourceDescribed', data });
        return;
      }
      case 'mute': {
        if (mutes.has(step.source)) return;
        const muteId = id(900 + (muteCount += 1));
        mutes.set(step.source, muteId);
        const span = { from: '2000-01-01T00:00:00.000Z', until: '2099-01-01T00:00:00.000Z', reason: 'r' };
        const data = { muteId, scope: { sourceId: step.source }, ...span };
        await world.append(streams.mutes('a'), { type: 'MuteCreated', data });
        return;
      }
      case 'unmute': {
        const muteId = mutes.get(step.source);
        if (muteId === undefined) return;
        mutes.delete(step.source);
        const data = { muteId };
        expectAboutOpen(await world.append(streams.mutes('a'), { type: 'MuteEnded', data }));
        return;
      }
      case 'archive':
      case 'restore': {
        const isArchive = step.kind === 'archive';
        if (archived.has(step.source) === isArchive) return;
        if (isArchive) archived.add(step.source);
        else archived.delete(step.source);
        const type = isArchive ? 'SourceArchived' : 'SourceRestored';
        const data = { requestId: id(2) };
        expectAboutOpen(await world.append(streams.source(step.source), { type, data }), step.source);
        return;
      }
      case 'webhook': {
        const receiver = receivers.find(({ from }) => from === undefined);
        if (!receiver) return;
        await world.createWebhook(receiver.n, 'a', receiver.target);
        for await (const { position, data } of world.log.all(0n)) {
          receiver.from = position;
          receiver.sealed = (data as { readonly url?: string }).url ?? '';
        }
        return;
      }
      case 'patch': {
        const receiver = receivers[step.webhook % receivers.length];
        if (receiver?.from === undefined) return;
        const data = { ...step.target, webhookId: receiver.id, host: 'h', url: receiver.sealed };
        await world.append(streams.webhooks('a'), { type: 'WebhookChanged', data });
        receiver.target = step.target;
        return;
      }
      case 'replay': {
        const receiver = receivers[step.webhook % receivers.length];
        if (receiver?.from === undefined) return;
        const data = {
          webhookId: receiver.id,
          requestId: `${world.requests.length}`,
          after: String(step.after),
        };
        await world.append(streams.webhooks('a'), { type: 'WebhookReplayRequested', data });
        if (BigInt(step.after) < receiver.from) receiver.from = BigInt(step.after);
        return;
      }
      case 'restart':
        instance.crash();
        instance = await world.start(open);
        return;
      case 'pass':
        return world.runUntil(world.time.nowMs() + step.minutes * 60_000);
    }
  };
  return { world, receivers, alerts, play, instance: () => instance };
};

/** The messages of a receiver, each once, in the order of the log. */
const messagesTo = ({ inbox }: WebhookWorld, { url }: Receiver) =>
  [...new Map(inbox.filter(one => one.url === url).map(one => [one.id, one.body])).values()].sort((a, b) =>
    Number(BigInt(a.position) - BigInt(b.position)),
  );

const anyCriticity = fc.constantFrom(0.5, 0.7, 0.9);
const anyLabels = fc.constantFrom<Labels>({}, { team: 'north' }, { team: 'south' });
const anySource = fc.constantFrom(1, 2);
const anyTarget: fc.Arbitrary<Target> = fc.record({
  minCriticity: fc.constantFrom(0, 0.6, 0.8),
  labels: anyLabels,
  events: fc.constantFrom<readonly MessageType[]>(allAlertEvents, allAlertEvents, [
    'alert.raised',
    'alert.resolved',
  ]),
});
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('raise' as const),
      source: anySource,
      date: fc.nat(5),
      criticity: anyCriticity,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('silence' as const), source: anySource, date: fc.nat(5) }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      alert: fc.nat(20),
      change: fc.constantFrom<Change>(
        'confirm',
        'confirm',
        'acknowledge',
        'resolve',
        'reopen',
        'invalidate',
        'end',
      ),
      criticity: anyCriticity,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('describe' as const),
      source: anySource,
      name: fc.constantFrom('Hall', 'Library', 'Gate'),
      labels: anyLabels,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('archive' as const), source: anySource }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), source: anySource }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('mute' as const), source: anySource }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('unmute' as const), source: anySource }) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'webhook' }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('replay' as const), webhook: fc.nat(3), after: fc.nat(8) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('patch' as const), webhook: fc.nat(3), target: anyTarget }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'restart' }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.nat(30) }) },
);

const anyHistory = fc.record({
  seed: fc.nat(1000),
  targets: fc.array(anyTarget, { minLength: 2, maxLength: 4 }),
  steps: fc.array(anyStep, { minLength: 5, maxLength: 40, size: 'max' }),
});

const changesOf = (messages: readonly CloudEvent[]): readonly (string | undefined)[] =>
  messages.map(({ data }) => (data as { readonly change?: string }).change);

t.test(
  'any history: an alert has no message, or its announcement first and then all that follows',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async ({ seed, targets, steps }) => {
        const { world, receivers, play, instance } = await stage(seed, targets);
        for (const step of [...steps, { kind: 'pass', minutes: 600 } as const]) await play(step);
        const isPatched = steps.some(({ kind }) => kind === 'patch');
        for (const receiver of receivers) {
          const { announced, from = 1000n } = receiver;
          const wanted = receiver.expected.filter(
            ({ event, alertId }) => event.position > from && (announced.get(alertId) ?? 0n) > from,
          );
          const got = messagesTo(world, receiver);
          deepStrictEqual(
            got.map(({ id: one, type }, index) => [one, type, changesOf(got)[index]]),
            wanted.map(({ event, type, change, key }) => [
              deliveryId(receiver.id, key === undefined ? event.id : `${event.id}/${key}`),
              ...[type, change],
            ]),
          );
          if (targets.some(({ events }) => !events.includes('source.silent')) || isPatched) continue;
          for (const alertId of new Set(got.map(({ data }) => data.alert.id))) {
            const [first, ...others] = changesOf(got.filter(({ data }) => data.alert.id === alertId));
            deepStrictEqual([first, others.includes('raised')], ['raised', false]);
          }
        }
        instance().crash();
      }),
      { numRuns: 60 },
    );
  },
);

t.test('any history: a message has the same bytes at every attempt, replay and instance', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async ({ seed, targets, steps }) => {
      const plain = { events: allAlertEvents, labels: {}, minCriticity: 0 };
      const all = [{ ...plain, digest: { everyMinutes: 5 } }, plain, ...targets];
      const { world, receivers, play, instance } = await stage(seed, all);
      for (let n = 0; n < 2; n += 1) await play({ kind: 'webhook' });
      for (const step of [...steps, { kind: 'pass', minutes: 300 } as const]) await play(step);
      for (const webhook of receivers.keys()) await play({ kind: 'replay', webhook, after: 0 });
      await play({ kind: 'pass', minutes: 300 });
      instance().crash();
      // Another instance with other read models, and without the progress.
      const other = await world.start(deliveryStores.file());
      await play({ kind: 'pass', minutes: 300 });
      const bodies = new Map<string, unknown>();
      const requireSame = (one: string, body: unknown): void => {
        deepStrictEqual(body, bodies.get(one) ?? body);
        bodies.set(one, body);
      };
      for (const { id: one, body } of world.requests) requireSame(one, body);
      for (const { body } of world.inbox)
        for (const message of body.data.messages ?? []) requireSame(`part ${message.id}`, message);
      other.crash();
    }),
    { numRuns: amount({ quick: 20, slow: 60 }) },
  );
});

/** Steps of an alert of source 1, as messages for a filter. */
const messagesAbout = async (target: Target, steps: readonly Step[]) => {
  const { world, receivers, play, instance } = await stage(1, [target]);
  await play({ kind: 'webhook' });
  for (const step of [...steps, { kind: 'pass', minutes: 600 } as const]) await play(step);
  instance().crash();
  return receivers
    .flatMap(receiver => messagesTo(world, receiver))
    .map(({ type, data }) => [type, data.alert.id]);
};
const change = (name: Change, criticity = 0): Step => ({ kind: 'change', alert: 0, change: name, criticity });
const raised = (criticity: number): Step => ({ kind: 'raise', source: 1, date: 0, criticity });
const all = { events: allAlertEvents, labels: {}, minCriticity: 0 };

t.test('an alert that was announced and is confirmed below the filter is reported as resolved', async t => {
  const messages = await messagesAbout({ ...all, minCriticity: 0.9955 }, [
    raised(0.9958),
    change('confirm', 0.9954),
    change('resolve'),
  ]);
  t.strictSame(messages, [
    ['alert.raised', '1-20240101-1'],
    ['alert.resolved', '1-20240101-1'],
  ]);
});

t.test(
  'an alert that rises above the filter is announced then; one that ends below it has no message',
  async t => {
    const target = { ...all, minCriticity: 0.6 };
    t.strictSame(await messagesAbout(target, [raised(0.5), change('confirm', 0.7), change('invalidate')]), [
      ['alert.raised', '1-20240101-1'],
      ['alert.resolved', '1-20240101-1'],
    ]);
    t.strictSame(await messagesAbout(target, [raised(0.5), change('resolve'), change('reopen')]), []);
  },
);

t.test('the end of a silence has no message for a receiver that gets none of its beginning', async t => {
  const silence: Step = { kind: 'silence', source: 1, date: 0 };
  const end = change('end');
  t.strictSame(
    (await messagesAbout(all, [silence, end])).map(([type]) => type),
    ['source.silent', 'alert.resolved'],
  );
  t.strictSame(
    await messagesAbout({ ...all, events: ['alert.raised', 'alert.resolved'] }, [silence, end]),
    [],
  );
});

t.test(
  'a changed label loses no end; an alert that gets the label is announced with its next event',
  async t => {
    const label = (labels: Labels): Step => ({ kind: 'describe', source: 1, name: 'Hall', labels });
    const target = { ...all, labels: { team: 'north' } };
    t.strictSame(
      await messagesAbout(target, [
        label({ team: 'north' }),
        raised(0.5),
        label({}),
        change('acknowledge'),
        change('resolve'),
      ]),
      [
        ['alert.raised', '1-20240101-1'],
        ['alert.updated', '1-20240101-1'],
        ['alert.resolved', '1-20240101-1'],
      ],
    );
    t.strictSame(
      await messagesAbout(target, [
        raised(0.5),
        label({ team: 'north' }),
        change('acknowledge'),
        change('resolve'),
      ]),
      [
        ['alert.raised', '1-20240101-1'],
        ['alert.resolved', '1-20240101-1'],
      ],
    );
  },
);

t.test('the end of a mute announces the alerts that it held back and are still open', async t => {
  const mute: Step = { kind: 'mute', source: 1 };
  const unmute: Step = { kind: 'unmute', source: 1 };
  const second: Step = { kind: 'raise', source: 1, date: 1, criticity: 0.9 };
  t.strictSame(
    await messagesAbout(all, [raised(0.9), mute, second, change('acknowledge'), unmute, change('resolve')]),
    [
      ['alert.raised', '1-20240101-1'],
      ['alert.updated', '1-20240101-1'],
      ['alert.raised', '1-20240102-1'],
      ['alert.resolved', '1-20240101-1'],
    ],
  );
  t.strictSame(await messagesAbout(all, [mute, raised(0.9), change('resolve'), unmute]), [], 'over before');
  t.strictSame(await messagesAbout({ ...all, minCriticity: 0.95 }, [mute, raised(0.9), unmute]), [], 'below');
  t.strictSame(
    await messagesAbout({ ...all, grouping: 'incident' }, [mute, raised(0.9), unmute]),
    [],
    'a receiver of incidents',
  );
  const many = Array.from({ length: 103 }, (_, date): Step => ({
    kind: 'raise',
    source: 1,
    date,
    criticity: 0.9,
  }));
  const ids = (await messagesAbout(all, [mute, ...many, unmute])).map(([, alertId]) => alertId);
  t.strictSame([ids.length, ids[0], ids.at(-1)], [100, '1-20240104-1', '1-20240412-1'], 'the latest 100');
});

t.test(
  'an archived source ends its alerts for receivers, and opens them again when it is restored',
  async t => {
    const archive: Step = { kind: 'archive', source: 1 };
    const restore: Step = { kind: 'restore', source: 1 };
    const mute: Step = { kind: 'mute', source: 1 };
    const unmute: Step = { kind: 'unmute', source: 1 };
    const alertId = '1-20240101-1';
    t.strictSame(await messagesAbout(all, [raised(0.9), archive, restore, change('resolve')]), [
      ['alert.raised', alertId],
      ['alert.resolved', alertId],
      ['alert.updated', alertId],
      ['alert.resolved', alertId],
    ]);
    t.strictSame(
      await messagesAbout(all, [raised(0.9), archive, change('acknowledge'), restore]),
      [
        ['alert.raised', alertId],
        ['alert.resolved', alertId],
        ['alert.updated', alertId],
      ],
      'its change is reported by the restoration',
    );
    t.strictSame(await messagesAbout(all, [mute, raised(0.9), archive, unmute]), [], 'archived before');
    t.strictSame(
      await messagesAbout(all, [mute, raised(0.9), archive, unmute, restore]),
      [['alert.raised', alertId]],
      'announced when it is back',
    );
  },
);
