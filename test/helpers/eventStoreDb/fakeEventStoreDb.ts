import { createServer, type AddressInfo, type Socket } from 'node:net';
import {
  Metadata,
  Server,
  ServerCredentials,
  status,
  type ServerDuplexStream,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import persistentGrpc from '@eventstore/db-client/generated/persistent_grpc_pb.js';
import persistent, {
  type CreateReq,
  type GetInfoReq,
  type ReadReq as GroupReq,
  type ReadResp as GroupResp,
  type ReplayParkedReq,
} from '@eventstore/db-client/generated/persistent_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams, {
  type AppendReq,
  type ReadReq,
  type ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';

// A fake EventStoreDB in this process: a gRPC server on a real port, built from the generated code of the client,
// with a log in memory. It injects faults into calls that a real server cannot produce on demand.

/** Calls that can have faults and are counted. */
export type Method = 'append' | 'metadata' | 'read' | 'subscribe' | 'features' | 'gossip' | GroupMethod;
type GroupMethod = 'create' | 'group' | 'info' | 'replay';

/** Error of a call; `exception` and `fields` are in the trailers that the client reads. */
export type Failure = {
  readonly code: status;
  readonly details?: string;
  readonly exception?: string;
  readonly fields?: Readonly<Record<string, string>>;
};

/** Response of a call. After its end or cancellation, further calls have no effect. */
export type Line = {
  /** `connectionName` in the connection string of the caller. */
  readonly caller: string;
  readonly send: (message: unknown) => void;
  readonly end: () => void;
  readonly fail: (failure: Failure) => void;
  /** Called when the response has ended in any way. */
  readonly ended: (then: () => void) => void;
};

/** Behaviour of a call instead of `serve`. */
export type CallFault = (line: Line, serve: (line: Line) => void) => void;

const well: CallFault = (line, serve) => serve(line);
/** Never answers. */
export const silent: CallFault = () => {};
/** Answers after `ms` milliseconds. */
export const slow =
  (ms: number): CallFault =>
  (line, serve) =>
    void setTimeout(() => serve(line), ms);
/** Fails without any effect. */
export const refuses =
  (failure: Failure): CallFault =>
  line =>
    line.fail(failure);
/** Executes the call, sends the first `answers` messages, then calls `then` instead of the others. */
export const brokenAfter =
  (answers: number, then: (line: Line) => void): CallFault =>
  (line, serve) => {
    let left = answers;
    serve({
      ...line,
      send: message => {
        if (left === 0) return;
        line.send(message);
        left -= 1;
        if (left === 0) then(line);
      },
      end: () => {},
    });
    if (answers === 0) then(line);
  };
/** Executes the call, sends no answer, then calls `then`. */
export const answerLost =
  (then: (line: Line) => void): CallFault =>
  (line, serve) =>
    serve({ ...line, send: () => {}, end: () => then(line) });
/** Sends each message twice. */
export const twice: CallFault = (line, serve) =>
  serve({
    ...line,
    send: message => {
      line.send(message);
      line.send(message);
    },
  });

export const unavailable: Failure = { code: status.UNAVAILABLE, details: 'the server is going away' };
export const internal: Failure = { code: status.INTERNAL, details: 'Received RST_STREAM with code 2' };
export const tooSlow: Failure = { code: status.ABORTED, details: 'Operation timed out: Consumer too slow' };
export const accessDenied: Failure = { code: status.PERMISSION_DENIED, exception: 'access-denied' };
export const notLeader = (port: number): Failure => ({
  code: status.NOT_FOUND,
  exception: 'not-leader',
  fields: { 'leader-endpoint-host': '127.0.0.1', 'leader-endpoint-port': String(port) },
});

type Call<Request> = ServerDuplexStream<Request, unknown>;

/** A stored event. */
export type Entry = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
  readonly type: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};
type New = Pick<Entry, 'id' | 'type' | 'data' | 'metadata'>;

type Pending = { readonly entry: Entry; retries: number };
type Consumer = { readonly line: Line; readonly bufferSize: number; readonly held: Map<string, Pending> };
type Group = {
  readonly prefixes: readonly string[];
  readonly maxRetries: number;
  waiting: Pending[];
  /** State as the server reports it, and the last position that it stored. */
  status: string;
  checkpoint: bigint | null;
  parked: Pending[];
  readonly consumers: Set<Consumer>;
};

export type FakeEventStoreDb = {
  readonly port: number;
  /** Ports of the nodes. */
  readonly ports: readonly number[];
  readonly url: string;
  /** Makes a node the leader; undefined: no quorum. */
  readonly lead: (node?: number) => void;
  /** All stored events, in order. */
  readonly log: readonly Entry[];
  /** `$maxAge` in the metadata of each stream, in seconds. */
  readonly maxAges: ReadonlyMap<string, number>;
  readonly groups: Map<string, Group>;
  /** Faults of the next calls of a method; undefined: no fault. */
  readonly next: (method: Method, ...faults: readonly (CallFault | undefined)[]) => void;
  /** Fault of all calls of a method without another fault; undefined: none. */
  readonly always: (method: Method, fault?: CallFault) => void;
  /** Numbers of calls: in total, open, open at most at one time, and cancelled by the caller. */
  readonly count: (method: Method) => { calls: number; open: number; mostOpen: number; cancelled: number };
  /** Another writer appends. */
  readonly write: (stream: string, ...events: readonly (Partial<New> & { readonly id: string })[]) => void;
  /** Removes all events of a stream. */
  readonly expire: (stream: string) => void;
  /** Repeated appends are conflicts from now on. */
  readonly forgetRepeats: () => void;
  /** Breaks all connections. */
  readonly drop: () => void;
  /** Breaks the connections of all nodes or one, and refuses new ones until `back`. */
  readonly away: (node?: number) => Promise<void>;
  readonly back: (node?: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Sends the only message of a call. */
const answer = (line: Line, message: unknown): void => {
  line.send(message);
  line.end();
};

/** Makes all calls bidirectional streams: equal on the wire, and faults need it. */
const duplex = (service: object): ServiceDefinition =>
  Object.fromEntries(
    Object.entries(service).map(([name, method]: [string, object]) => [
      name,
      { ...method, requestStream: true, responseStream: true },
    ]),
  ) as ServiceDefinition;

const none = new shared.Empty();
const textOf = (bytes: Uint8Array | string): string => Buffer.from(bytes as Uint8Array).toString();
const isOfType = ({ type }: Entry, prefixes: readonly string[]): boolean =>
  prefixes.some(prefix => type.startsWith(prefix));
const startsWithAny = ({ stream }: Entry, prefixes: readonly string[]): boolean =>
  prefixes.some(prefix => stream.startsWith(prefix));

const filled = <Record extends ReadResp.ReadEvent.RecordedEvent | GroupResp.ReadEvent.RecordedEvent>(
  record: Record,
  { id, stream, revision, position, type, data, metadata }: Entry,
): Record => {
  record.setId(new shared.UUID().setString(id)).setStreamRevision(String(revision));
  record.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)));
  record.setCommitPosition(String(position)).setPreparePosition(String(position));
  record.getMetadataMap().set('type', type).set('content-type', 'application/json').set('created', '0');
  record.setData(data).setCustomMetadata(metadata);
  return record;
};

const readEvent = (entry: Entry): ReadResp => {
  const event = new streams.ReadResp.ReadEvent();
  event.setEvent(filled(new streams.ReadResp.ReadEvent.RecordedEvent(), entry));
  event.setCommitPosition(String(entry.position));
  return new streams.ReadResp().setEvent(event);
};

const groupFailure = (code: status, what: string): Failure => ({
  code,
  exception: `persistent-subscription-${what}`,
  fields: { 'stream-name': '$all', 'group-name': '' },
});

/** Certificate and key of a server with TLS, in PEM. */
export type TlsFiles = { readonly certificate: Buffer; readonly key: Buffer };

/**
 * Starts a fake on a free port, or a cluster on one port for each node. Nodes share one log; the first is the leader.
 * @param tls  default: no TLS
 */
export const fakeEventStoreDb = async (nodeCount = 1, tls?: TlsFiles): Promise<FakeEventStoreDb> => {
  const log: Entry[] = [];
  const expired = new Map<string, number>();
  const maxAges = new Map<string, number>();
  const groups = new Map<string, Group>();
  const subscribers = new Set<{ readonly prefixes: readonly string[]; readonly line: Line }>();
  let knowsRepeats = true;
  let leader: number | undefined = 0;

  const faults = new Map<Method, (CallFault | undefined)[]>();
  const lasting = new Map<Method, CallFault>();
  const counts = new Map<Method, ReturnType<FakeEventStoreDb['count']>>();
  const count = (method: Method) => {
    const known = counts.get(method) ?? { calls: 0, open: 0, mostOpen: 0, cancelled: 0 };
    counts.set(method, known);
    return known;
  };

  const lineOf = (call: Call<unknown>, method: Method): Line => {
    const counted = count(method);
    counted.calls += 1;
    counted.open += 1;
    counted.mostOpen = Math.max(counted.mostOpen, counted.open);
    let open = true;
    const after: (() => void)[] = [];
    const close = (how: () => void) => {
      if (!open) return;
      open = false;
      counted.open -= 1;
      how();
      for (const then of after) then();
    };
    call.once('cancelled', () => close(() => (counted.cancelled += 1)));
    return {
      caller: String(call.metadata.get('connection-name')[0] ?? ''),
      send: message => void (open && call.write(message)),
      end: () => close(() => call.end()),
      fail: ({ code, details = '', exception, fields = {} }) =>
        close(() => {
          const metadata = new Metadata();
          if (exception !== undefined) metadata.set('exception', exception);
          for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
          call.emit('error', Object.assign(new Error(details), { code, details, metadata }));
        }),
      ended: then => void after.push(then),
    };
  };

  /** Fault of a call that requires the leader, at another node. */
  const followerFault = (
    call: Pick<Call<unknown>, 'metadata' | 'getPeer'>,
    method: Method,
  ): CallFault | undefined => {
    if (method === 'gossip' || method === 'features') return undefined;
    if (leader === undefined) return refuses({ code: status.UNAVAILABLE, details: 'Server Is Not Ready' });
    const needsLeader = method === 'group' || call.metadata.get('requires-leader').includes('true');
    // The peer port of a call identifies its socket.
    const remote = Number(call.getPeer().split(':').at(-1));
    const isLeader = [...(nodes[leader]?.sockets ?? [])].some(({ remotePort }) => remotePort === remote);
    return needsLeader && !isLeader ? refuses(notLeader(nodes[leader]?.port ?? 0)) : undefined;
  };

  /** Handler of a call: waits for the whole request (with `begun`: its first message), then serves it or its fault. */
  const answering =
    <Request>(
      methodOf: (first: Request) => Method,
      serve: (requests: readonly Request[], line: Line, call: Call<Request>) => void,
      begun = false,
    ) =>
    (call: Call<Request>): void => {
      const requests: Request[] = [];
      const start = () => {
        const [first] = requests;
        if (first === undefined || call.cancelled) return;
        const method = methodOf(first);
        const line = lineOf(call as Call<unknown>, method);
        const queue = faults.get(method) ?? [];
        const fault =
          (queue.length > 0 ? queue.shift() : lasting.get(method)) ?? followerFault(call, method) ?? well;
        fault(line, on => serve(requests, on, call));
      };
      call.on('data', (request: Request) => {
        if (requests.push(request) === 1 && begun) start();
      });
      // A cancelled call emits `end`, too; `cancelled` is set a turn later.
      if (!begun) call.once('end', () => setImmediate(start));
    };

  const streamOf = (stream: string): Entry[] => log.filter(entry => entry.stream === stream);

  const store = (stream: string, events: readonly New[]): void => {
    let revision = streamOf(stream).length;
    for (const event of events) {
      const entry = { ...event, stream, revision: revision++, position: BigInt(1000 + log.length * 100) };
      log.push(entry);
      for (const { prefixes, line } of subscribers)
        if (startsWithAny(entry, prefixes)) line.send(readEvent(entry));
      for (const group of groups.values())
        if (isOfType(entry, group.prefixes)) group.waiting.push({ entry, retries: 0 });
    }
    for (const group of groups.values()) deliver(group);
  };

  const append = ([head, ...rest]: readonly AppendReq[], line: Line): void => {
    const options = head?.getOptions();
    const stream = textOf(options?.getStreamIdentifier()?.getStreamName() ?? '');
    const events = rest.map((request): New => {
      const message = request.getProposedMessage();
      if (!message) throw new Error('an append without a message');
      return {
        id: message.getId()?.getString() ?? '',
        type: message.getMetadataMap().get('type') ?? '',
        data: message.getData_asU8(),
        metadata: message.getCustomMetadata_asU8(),
      };
    });
    const appended = (current: number): void => {
      const success = new streams.AppendResp.Success().setCurrentRevision(String(current));
      answer(line, new streams.AppendResp().setSuccess(success.setNoPosition(none)));
    };
    if (stream.startsWith('$$')) {
      const { $maxAge } = JSON.parse(textOf(events[0]?.data ?? '{}')) as { $maxAge?: number };
      if ($maxAge !== undefined) maxAges.set(stream.slice(2), $maxAge);
      return appended(0);
    }
    const there = streamOf(stream);
    const current = there.length - 1;
    const expected = options?.hasRevision() ? Number(options.getRevision()) : -1;
    if (expected === current) {
      store(stream, events);
      return appended(current + events.length);
    }
    if (knowsRepeats && events.every(({ id }, index) => there[expected + 1 + index]?.id === id))
      return appended(expected + events.length);
    const conflict = new streams.AppendResp.WrongExpectedVersion();
    if (current < 0) conflict.setCurrentNoStream(none);
    else conflict.setCurrentRevision(String(current));
    if (expected < 0) conflict.setExpectedNoStream(none);
    else conflict.setExpectedRevision(String(expected));
    answer(line, new streams.AppendResp().setWrongExpectedVersion(conflict));
  };

  const read = ([request]: readonly ReadReq[], line: Line): void => {
    const options = request?.getOptions();
    const ofStream = options?.getStream();
    const all = options?.getAll();
    if (options?.hasSubscription()) {
      const prefixes = options.getFilter()?.getStreamIdentifier()?.getPrefixList() ?? [''];
      const subscriber = { prefixes, line };
      subscribers.add(subscriber);
      line.ended(() => subscribers.delete(subscriber));
      const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId('1');
      return line.send(new streams.ReadResp().setConfirmation(confirmation));
    }
    let entries: Entry[];
    if (ofStream) {
      const name = ofStream.getStreamIdentifier();
      const stream = textOf(name?.getStreamName() ?? '');
      entries = streamOf(stream);
      const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(name);
      if (entries.length === 0) return answer(line, new streams.ReadResp().setStreamNotFound(notFound));
      const from = ofStream.hasRevision() ? Number(ofStream.getRevision()) : 0;
      entries = entries.slice(Math.max(from, expired.get(stream) ?? 0));
      if (ofStream.hasEnd()) entries.reverse();
    } else if (all?.hasEnd()) entries = log.toReversed();
    else {
      const from = BigInt(all?.getPosition()?.getCommitPosition() ?? 0);
      entries = log.filter(({ position }) => position >= from);
      // A server reads at the position of an event, at 0, or behind its end.
      if (from > 0n && entries.length > 0 && entries[0]?.position !== from)
        return line.fail({ code: status.UNKNOWN, details: 'Unexpected ReadAllResult: Error' });
    }
    for (const entry of entries.slice(0, Number(options?.getCount()))) line.send(readEvent(entry));
    line.end();
  };

  const deliver = (group: Group): void => {
    for (const consumer of group.consumers)
      while (group.waiting.length > 0 && consumer.held.size < consumer.bufferSize) {
        const pending = group.waiting.shift() as Pending;
        consumer.held.set(pending.entry.id, pending);
        const event = new persistent.ReadResp.ReadEvent();
        event.setEvent(filled(new persistent.ReadResp.ReadEvent.RecordedEvent(), pending.entry));
        event.setCommitPosition(String(pending.entry.position)).setRetryCount(pending.retries);
        consumer.line.send(new persistent.ReadResp().setEvent(event));
      }
  };

  const create = ([request]: readonly CreateReq[], line: Line): void => {
    const options = request?.getOptions();
    const name = options?.getGroupName() ?? '';
    if (groups.has(name)) return line.fail(groupFailure(status.ALREADY_EXISTS, 'exists'));
    const all = options?.getAll();
    const prefixes = all?.getFilter()?.getEventType()?.getPrefixList() ?? [''];
    const from = BigInt(all?.getPosition()?.getCommitPosition() ?? 0);
    const waiting = log
      .filter(entry => entry.position >= from && isOfType(entry, prefixes))
      .map(entry => ({ entry, retries: 0 }));
    const maxRetries = options?.getSettings()?.getMaxRetryCount() ?? 0;
    groups.set(name, {
      ...{ prefixes, maxRetries, waiting, parked: [], consumers: new Set() },
      ...{ status: 'Live', checkpoint: null },
    });
    answer(line, new persistent.CreateResp());
  };

  type OfGroup = GroupReq | GetInfoReq | ReplayParkedReq;
  /** Answers a call about an existing group. */
  const about =
    <Request extends OfGroup>(
      serve: (request: Request, group: Group, line: Line, call: Call<Request>) => void,
    ) =>
    ([request]: readonly Request[], line: Line, call: Call<Request>): void => {
      const group = groups.get(request?.getOptions()?.getGroupName() ?? '');
      if (request && group) serve(request, group, line, call);
      else line.fail(groupFailure(status.NOT_FOUND, 'does-not-exist'));
    };

  const consume = about<GroupReq>((request, group, line, call) => {
    const bufferSize = request.getOptions()?.getBufferSize() ?? 1;
    const consumer: Consumer = { line, bufferSize, held: new Map() };
    line.ended(() => {
      group.consumers.delete(consumer);
      group.waiting.unshift(...consumer.held.values());
      deliver(group);
    });
    call.on('data', (said: GroupReq) => {
      const nack = said.getNack();
      for (const uuid of (nack ?? said.getAck())?.getIdsList() ?? []) {
        const pending = consumer.held.get(uuid.getString());
        consumer.held.delete(uuid.getString());
        if (!pending || !nack) continue;
        const again =
          nack.getAction() === persistent.ReadReq.Nack.Action.RETRY && pending.retries < group.maxRetries;
        pending.retries += 1;
        if (again) group.waiting.unshift(pending);
        else group.parked.push(pending);
      }
      deliver(group);
    });
    const confirmation = new persistent.ReadResp.SubscriptionConfirmation().setSubscriptionId('1');
    line.send(new persistent.ReadResp().setSubscriptionConfirmation(confirmation));
    group.consumers.add(consumer);
    deliver(group);
  });

  const info = about<GetInfoReq>((_, group, line) => {
    const held = [...group.consumers].reduce((sum, consumer) => sum + consumer.held.size, 0);
    const state = new persistent.SubscriptionInfo().setEventSource('$all').setTotalInFlightMessages(held);
    state.setNamedConsumerStrategy('RoundRobin').setReadBufferCount(group.waiting.length);
    state.setTotalItems('0').setCountSinceLastMeasurement('0').setLiveBufferCount('0');
    state.setParkedMessageCount(String(group.parked.length)).setStatus(group.status);
    const { checkpoint } = group;
    if (checkpoint !== null) state.setLastCheckpointedEventPosition(`C:${checkpoint}/P:${checkpoint}`);
    answer(line, new persistent.GetInfoResp().setSubscriptionInfo(state));
  });

  const replay = about<ReplayParkedReq>((_, group, line) => {
    group.waiting.push(...group.parked.map(({ entry }) => ({ entry, retries: 0 })));
    group.parked = [];
    answer(line, new persistent.ReplayParkedResp());
    deliver(group);
  });

  const supported = (_: unknown, line: Line): void => {
    const methods = new features.SupportedMethods().setEventStoreServerVersion('23.10.8');
    const can = (service: string, ...names: readonly string[]) => {
      for (const name of names) {
        const method = new features.SupportedMethod().setMethodName(name).setFeaturesList(['all']);
        methods.addMethods(method.setServiceName(`event_store.client.${service}`));
      }
    };
    can('persistent_subscriptions.persistentsubscriptions', 'create', 'read', 'getinfo', 'replayparked');
    // `batchappend` is not supported: appends are separate calls.
    can('streams.streams', 'batchappend');
    answer(line, methods);
  };

  const { LEADER, FOLLOWER, UNKNOWN } = gossip.MemberInfo.VNodeState;
  const members = (_: unknown, line: Line): void => {
    const all = nodes.map(({ port, listener }, n) => {
      const state = leader === undefined ? UNKNOWN : n === leader ? LEADER : FOLLOWER;
      const member = new gossip.MemberInfo().setIsAlive(listener.listening).setState(state);
      member.setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port)).setTimeStamp('0');
      return member;
    });
    answer(line, new gossip.ClusterInfo().setMembersList(all));
  };

  const grpc = new Server();
  const isMetadata = (first: AppendReq) =>
    textOf(first.getOptions()?.getStreamIdentifier()?.getStreamName() ?? '').startsWith('$$');
  grpc.addService(duplex(streamsGrpc.StreamsService), {
    append: answering(first => (isMetadata(first) ? 'metadata' : 'append'), append),
    read: answering(first => (first.getOptions()?.hasSubscription() ? 'subscribe' : 'read'), read),
  });
  grpc.addService(duplex(persistentGrpc.PersistentSubscriptionsService), {
    create: answering(() => 'create', create),
    read: answering(() => 'group', consume, true),
    getInfo: answering(() => 'info', info),
    replayParked: answering(() => 'replay', replay),
  });
  grpc.addService(duplex(featuresGrpc.ServerFeaturesService), {
    getSupportedMethods: answering(() => 'features', supported),
  });
  grpc.addService(duplex(gossipGrpc.GossipService), { read: answering(() => 'gossip', members) });

  // Own sockets, so that connections can be broken.
  const injector = grpc.createConnectionInjector(
    tls
      ? ServerCredentials.createSsl(null, [{ cert_chain: tls.certificate, private_key: tls.key }])
      : ServerCredentials.createInsecure(),
  );
  const nodes = Array.from({ length: nodeCount }, () => {
    const sockets = new Set<Socket>();
    const listener = createServer(socket => {
      sockets.add(socket);
      socket.on('error', () => {}).once('close', () => sockets.delete(socket));
      injector.injectConnection(socket);
    });
    return { port: 0, sockets, listener };
  });
  const comeBack = (node: (typeof nodes)[number]): Promise<void> =>
    new Promise((resolve, reject) => {
      if (node.listener.listening) return resolve();
      node.listener.once('error', reject);
      node.listener.listen(node.port, '127.0.0.1', () => {
        node.listener.off('error', reject);
        node.port = (node.listener.address() as AddressInfo).port;
        resolve();
      });
    });
  const dropOf = ({ sockets }: (typeof nodes)[number]): void => {
    for (const socket of sockets) socket.destroy();
  };
  const drop = (): void => nodes.forEach(dropOf);
  const goAway = (node: (typeof nodes)[number]): Promise<void> =>
    new Promise(resolve => {
      if (!node.listener.listening) return resolve();
      node.listener.close(() => resolve());
      dropOf(node);
    });
  const named = (n?: number) => nodes.filter((_, index) => n === undefined || index === n);
  const away = async (n?: number): Promise<void> => void (await Promise.all(named(n).map(goAway)));
  const back = async (n?: number): Promise<void> => void (await Promise.all(named(n).map(comeBack)));
  await back();
  const ports = nodes.map(({ port }) => port);
  const [port = 0] = ports;

  return {
    port,
    ports,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    lead: n => void (leader = n),
    log,
    maxAges,
    groups,
    next: (method, ...given) => void faults.set(method, [...(faults.get(method) ?? []), ...given]),
    always: (method, fault) => void (fault ? lasting.set(method, fault) : lasting.delete(method)),
    count,
    write: (stream, ...events) => {
      const rest = { type: 'written', data: Buffer.from('{}'), metadata: Buffer.from('{}') };
      const whole = events.map(event => ({ ...rest, ...event }));
      store(stream, whole);
    },
    expire: stream => void expired.set(stream, streamOf(stream).length),
    forgetRepeats: () => void (knowsRepeats = false),
    drop,
    away,
    back,
    close: async () => {
      await away();
      grpc.forceShutdown();
    },
  };
};
