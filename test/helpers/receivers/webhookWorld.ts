import { commandHandler } from '../../../application/commands/commandHandler.js';
import type { Environment } from '../../../application/ports/environment.js';
import type { EventStore } from '../../../application/ports/eventStore.js';
import type { DeliveryStore, Outgoing, Sent } from '../../../application/ports/deliveries.js';
import { dispatcher, vaultOf, renderer } from '../../../application/messages/dispatch.js';
import { turns } from '../../../application/ports/sharing/turns.js';
import { webhookDeliveries } from '../../../application/messages/webhookDeliveries.js';
import { peopleOf } from '../../../adapters/composition/openStores.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { deliveryFile } from '../../../adapters/webhooks/deliveryFile.js';
import { deliveryStreams } from '../../../adapters/webhooks/deliveryStreams.js';
import { keyFile } from '../../../adapters/privacy/keys.js';
import { clockOf } from '../../../adapters/timeZones.js';
import { Database } from '../../../adapters/sqlite/driver.js';
import { decode, eventVersions, type DomainEvent, type Recorded } from '../../../domain/events.js';
import type { IncidentFacts } from '../../../domain/incidents/incidents.js';
import { streams } from '../../../domain/streams.js';
import type { WebhookTarget } from '../../../domain/webhooks/webhookTarget.js';
import { readModels } from '../../../projections/readModels.js';
import { pino } from 'pino';
import type { Chance } from '../crash/chance.js';
import { drained, environmentOf, scheduler, type Owner } from '../../simulation/scheduler.js';
import { factsOf, findingOf, id } from '../data/samples.js';

// Webhooks in virtual time: a log in memory, instances that crash, receivers that fail.

/** A message that a receiver accepted. */
export type Accepted = {
  readonly url: string;
  readonly id: string;
  readonly body: CloudEvent;
  /** Milliseconds since 1970, and since the beginning of the world. */
  readonly atMs: number;
  readonly sinceMs: number;
};
export type CloudEvent = {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly position: string;
  /** A digest has `messages` only. */
  readonly data: { readonly alert: { readonly id: string }; readonly messages?: readonly CloudEvent[] };
};

/** How a receiver answers; the message was accepted when `accepts`, also when its answer is lost. */
export type Answer = {
  readonly delayMs: number;
  readonly accepts: boolean;
  readonly sent: Omit<Sent, 'latencyMs'>;
};
export const accepted: Answer = { delayMs: 20, accepts: true, sent: { status: 204, failure: null } };
export const refused = (status: number): Answer => ({
  delayMs: 20,
  accepts: false,
  sent: { status, failure: null },
});

/** Stores of deliveries that outlive the instances: a file of one, or streams that instances share. */
export const deliveryStores = {
  file: () => {
    const file = deliveryFile(':memory:');
    return () => file;
  },
  streams: () => {
    const store = memoryStore();
    return (environment: Environment): DeliveryStore =>
      deliveryStreams({ store, keepLast: async () => {}, deleteStream: async () => {}, environment });
  },
};

const openIncident: IncidentFacts = {
  ...{ incidentId: id(50), state: 'open', before: null, kinds: ['activity'], criticity: 0.9 },
  counts: { open: 1, acknowledged: 0, resolved: 0, ended: 0 },
  ...{
    since: '2024-01-02',
    until: '2024-01-03',
    sourceIds: [1],
    sourceCount: 1,
    mainAlertId: '1-20240102-1',
  },
};

export const webhookWorld = (random: Chance, answer: (request: Outgoing, nowMs: number) => Answer) => {
  const time = scheduler(random);
  const everybody: Owner = { name: 'everybody', alive: true };
  /** Error of the wall clock of all instances, and of the instants of events. */
  const wallClock = { errorMs: 0 };
  const environmentFor = (owner: Owner): Environment => {
    const right = environmentOf(time, owner, random, 0);
    return { ...right, nowMs: () => right.nowMs() + wallClock.errorMs };
  };
  const ownEnvironment = environmentFor(everybody);
  const log = memoryStore();
  const keys = keyFile(':memory:');
  const people = peopleOf(keys, ownEnvironment);
  const inbox: Accepted[] = [];
  const requests: Outgoing[] = [];
  const revisions = new Map<string, number>();
  const wakes = new Set<() => void>();
  let count = 0;

  const append = async (stream: string, event: DomainEvent): Promise<Recorded> => {
    const revision = revisions.get(stream);
    count += 1;
    await log.append(stream, revision ?? 'absent', [
      {
        ...event,
        id: id(1000 + count),
        v: eventVersions[event.type],
        metadata: { by: 'anna', cause: id(count), correlation: id(count) },
        at: new Date(ownEnvironment.nowMs()).toISOString(),
      },
    ]);
    revisions.set(stream, (revision ?? -1) + 1);
    for (const wake of [...wakes]) wake();
    let last: Recorded | undefined;
    for await (const one of log.read(stream, (revision ?? -1) + 1)) last = one;
    if (!last) throw new Error('nothing was appended');
    return last;
  };

  /** Starts an instance; it ends without warning by `crash`. `haveAll`: whether its read models are whole. */
  const start = async (
    deliveriesOf: (environment: Environment) => DeliveryStore,
    haveAll: (position: bigint) => boolean = () => true,
  ) => {
    const owner: Owner = { name: 'instance', alive: true };
    const environment = environmentFor(owner);
    const models = readModels(new Database(':memory:'));
    const handle = commandHandler(log as EventStore, () => void project(), environment);
    const send = (request: Outgoing): Promise<Sent> =>
      new Promise(resolve => {
        requests.push(request);
        const { delayMs, accepts, sent } = answer(request, time.nowMs());
        // The receiver has the message even when the instance crashes meanwhile.
        time.after(everybody, delayMs / 2, () => {
          if (accepts)
            inbox.push({
              ...{ url: request.url, id: request.id, body: JSON.parse(request.body) as CloudEvent },
              ...{ atMs: ownEnvironment.nowMs(), sinceMs: time.nowMs() },
            });
        });
        time.after(owner, delayMs, () => resolve({ latencyMs: delayMs, ...sent }));
      });
    const parts = {
      models,
      handle,
      deliveries: deliveriesOf(environment),
      dispatch: dispatcher(people, { send }, environment, renderer(models)),
      haveAll: (position: bigint) => Promise.resolve(haveAll(position)),
      clockOf,
      turns: turns(environment),
      logger: pino({ level: 'silent' }),
      environment,
    };
    const deliveries = webhookDeliveries(parts);
    const project = async (): Promise<void> => {
      if (!owner.alive) return;
      for await (const stored of log.all(models.checkpoint('readModels').position)) {
        const event = decode(stored);
        models.apply(event ? [event] : [], stored);
        if (event) deliveries.notice([event]);
      }
    };
    await project();
    const wake = (): void => void time.after(owner, random.next() * 10, () => void project());
    wakes.add(wake);
    deliveries.start();
    return {
      models,
      deliveries: parts.deliveries,
      project,
      stop: deliveries.stop,
      crash: (): void => {
        owner.alive = false;
        wakes.delete(wake);
      },
    };
  };

  return {
    time,
    environment: ownEnvironment,
    wallClock,
    log,
    people,
    inbox,
    requests,
    append,
    wakeAll: (): void => {
      for (const wake of [...wakes]) wake();
    },
    start,
    createSource: (sourceId: number, tenant: string, timeZone = 'UTC') =>
      append(streams.source(sourceId), {
        type: 'SourceCreated',
        data: { ...factsOf(sourceId), tenant, timeZone, requestId: id(sourceId), seed: 7 },
      }),
    /** Creates a webhook at `https://{name}/`. */
    createWebhook: async (n: number, tenant: string, target: Partial<WebhookTarget> = {}) => {
      const webhookId = id(500 + n);
      const vault = vaultOf(tenant, webhookId);
      const key = await people.keyOf(vault);
      const url = await people.sealed(vault, `https://receiver-${n}.example.org/`);
      await append(streams.webhooks(tenant), {
        type: 'WebhookCreated',
        data: {
          ...{ webhookId, keyId: key.id, host: `receiver-${n}.example.org`, url },
          ...{ events: ['alert.raised', 'alert.resolved'], labels: {}, minCriticity: 0, ...target },
        },
      });
      return webhookId;
    },
    raise: (sourceId: number, n: number, criticity = 0.5) => {
      const date = new Date(Date.UTC(2024, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);
      return append(streams.alerts(sourceId), {
        type: 'AlertRaised',
        data: {
          ...findingOf(null, criticity),
          alertId: `${sourceId}-${date.replaceAll('-', '')}-1`,
          date,
          importId: id(n),
          dayDigest: 'digest',
          modelsVersion: 1,
        },
      });
    },
    /** A grouping after which incidents of a tenant have facts; by default one of source 1 is open. */
    group: (tenant: string, ...incidents: readonly Partial<IncidentFacts>[]) =>
      append(streams.incidents(tenant), {
        type: 'AlertsGrouped',
        data: {
          ...{
            sourceId: 1,
            knowledge: 1,
            alertIds: [],
            joined: [],
            left: [],
            spans: [],
            merged: [],
            split: [],
          },
          incidents: incidents.map(facts => ({ ...openIncident, ...facts })),
        },
      }),
    /** Runs all that is due up to a virtual time. */
    runUntil: async (ms: number): Promise<void> => {
      let due = false;
      // Timers that are about to be set must be set before time passes.
      await drained();
      time.after(everybody, Math.max(0, ms - time.nowMs()), () => (due = true));
      while (!due && (await time.step()));
    },
  };
};

export type WebhookWorld = ReturnType<typeof webhookWorld>;
