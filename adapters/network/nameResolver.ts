import {
  getDefaultResultOrder,
  promises as systemDns,
  type LookupAddress,
  type LookupOptions,
} from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { fairQueue } from '../../application/ports/sharing/fairQueue.js';

/** Files and servers that know names; those of the system by default. */
export type NameSources = {
  readonly hostsFile?: string;
  readonly resolvConf?: string;
  /** Addresses of name servers, which may have ports. */
  readonly servers?: readonly string[];
  /** Asks the operating system, which blocks one of the few threads of Node.js until it answers. */
  readonly system?: (name: string) => Promise<readonly LookupAddress[]>;
  /** Limit of one resolution in ms, its wait for others included. */
  readonly timeoutMs?: number;
};

/** Use of names. */
export type NameUse = {
  /** Tenant whose receiver is named; absent for an address of the settings. */
  readonly tenant?: string;
  /** Whether the operating system is asked for names that files and servers do not know: mDNS, directories. */
  readonly asksSystem: boolean;
};

/** Resolves names without a thread for each; a name that no server answers delays no other one. */
export type NameResolver = {
  /** A function for `net.connect` and `http.request`. */
  readonly lookupFor: (use: NameUse) => LookupFunction;
};

const timeoutUsualMs = 5000;
/** Wait for the first answer of a server; it doubles at each further try. */
const tryTimeoutMs = 1500;
const tries = 3;

/** Resolutions at once: of all tenants, and of each. */
const atOnce = 64;
const eachMax = 4;
const waitingMax = 1024;
const systemWaitingMax = 64;

const cachedMax = 2000;
const cachedMaxMs = 30_000;
/** Time for which a failure is remembered. */
const failedMs = 10_000;

/** Addresses of a name that are used and kept in each family: an answer over TCP may have thousands. */
const addressesMax = 16;

/** Search domains that are tried, as in the C library of most systems. */
const searchMax = 6;

type Found = { readonly addresses: readonly LookupAddress[]; readonly keepMs: number };
type Outcome = Found | { readonly error: NodeJS.ErrnoException };

const nameError = (code: 'ENOTFOUND' | 'EAI_AGAIN' | 'ETIMEOUT', name: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`the name ${name} cannot be resolved: ${code}`), { code, syscall: 'lookup' });

/** Returns a function that reads a small file; it is parsed again when it changed. An absent one is empty. */
const watched = <Content>(file: string, parse: (text: string) => Content): (() => Content) => {
  let known: { readonly stamp: string; readonly content: Content } | undefined;
  return () => {
    const stat = statSync(file, { throwIfNoEntry: false });
    const stamp = `${stat?.mtimeMs} ${stat?.size} ${stat?.ino}`;
    if (known?.stamp !== stamp) known = { stamp, content: parse(stat ? readFileSync(file, 'utf8') : '') };
    return known.content;
  };
};

const wordsOf = (text: string): string[][] =>
  text
    .split('\n')
    .map(line =>
      line
        .replace(/[#;].*/, '')
        .trim()
        .split(/\s+/),
    )
    .filter(([first]) => first !== '');

/** Addresses by name in lower case, of a hosts file (hosts(5)). */
const hostsOf = (text: string): ReadonlyMap<string, readonly LookupAddress[]> => {
  const hosts = new Map<string, LookupAddress[]>();
  for (const [address = '', ...names] of wordsOf(text)) {
    if (!ipaddr.isValid(address)) continue;
    const family = address.includes(':') ? 6 : 4;
    for (const name of names.map(one => one.toLowerCase()))
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family }]);
  }
  return hosts;
};

/** Search domains and `ndots` of a resolv.conf (resolv.conf(5)): the last line of a kind counts. */
const searchOf = (text: string) => {
  const lines = wordsOf(text);
  const [, ...search] = lines.findLast(([key]) => key === 'search' || key === 'domain') ?? [];
  const options = lines.flatMap(([key, ...rest]) => (key === 'options' ? rest : []));
  const ndots = options.findLast(option => /^ndots:\d{1,2}$/.test(option))?.slice('ndots:'.length) ?? '1';
  return { search: search.slice(0, searchMax), ndots: Number(ndots) };
};

/** Full names to ask for, in order: a name with `ndots` dots is tried as it is before it is searched for. */
const candidates = (name: string, { search, ndots }: ReturnType<typeof searchOf>): readonly string[] => {
  if (name.endsWith('.')) return [name];
  const searched = search.map(domain => `${name}.${domain.replace(/^\.|\.$/g, '')}`);
  const dots = name.split('.').length - 1;
  return dots >= ndots ? [name, ...searched] : [...searched, name];
};

const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Addresses that can be used here, in the order in which the system gives them (RFC 6724). */
const ordered = (addresses: readonly LookupAddress[]): readonly LookupAddress[] => {
  const own = Object.values(networkInterfaces()).flatMap(list => list ?? []);
  const families = new Set(own.filter(({ internal }) => !internal).map(({ family }) => family));
  // As with AI_ADDRCONFIG, which net.connect asks for: no addresses of a family that this machine does not have.
  const usable = addresses.filter(
    ({ family }) => families.size === 0 || families.has(family === 6 ? 'IPv6' : 'IPv4'),
  );
  const ranges = new Set(
    own.filter(({ family }) => family === 'IPv6').map(({ address }) => ipaddr.parse(address).range()),
  );
  const rank = ({ address, family }: LookupAddress): number => {
    const order = getDefaultResultOrder();
    if (order !== 'verbatim') return (order === 'ipv4first') === (family === 4) ? 0 : 1;
    return family === 4 ? 1 : ranges.has(ipaddr.parse(address).range()) ? 0 : 2;
  };
  return usable.toSorted((a, b) => rank(a) - rank(b));
};

const unknownCodes = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];
const silentCodes = ['ETIMEOUT', 'ECANCELLED'];

/** Asks the servers for the addresses of a full name; undefined when they know none. @throws a name error */
const askServers = async (
  name: string,
  servers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Found | 'unknown' | 'failed'> => {
  const resolver = new systemDns.Resolver({ timeout: tryTimeoutMs, tries });
  if (servers) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([
      resolver.resolve4(name, { ttl: true }),
      resolver.resolve6(name, { ttl: true }),
    ]);
    const records = answers.flatMap(answer =>
      answer.status === 'fulfilled' ? answer.value.slice(0, addressesMax) : [],
    );
    if (records.length > 0)
      return {
        addresses: records.map(({ address }) => ({ address, family: address.includes(':') ? 6 : 4 })),
        keepMs: Math.min(cachedMaxMs, ...records.map(({ ttl }) => 1000 * ttl)),
      };
    const codes = answers.map(answer =>
      answer.status === 'rejected' ? ((answer.reason as { code?: string }).code ?? '') : '',
    );
    if (codes.some(code => silentCodes.includes(code))) throw nameError('ETIMEOUT', name);
    return codes.every(code => unknownCodes.includes(code)) ? 'unknown' : 'failed';
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

/** The name that a signal ends the wait for. */
const untilAborted = <Result>(work: Promise<Result>, signal: AbortSignal, name: string): Promise<Result> =>
  new Promise((resolve, reject) => {
    const end = (): void => reject(nameError('ETIMEOUT', name));
    if (signal.aborted) return end();
    signal.addEventListener('abort', end, { once: true });
    work.finally(() => signal.removeEventListener('abort', end)).then(resolve, reject);
  });

/**
 * A resolver that reads the hosts file and asks the servers of resolv.conf without threads, each name for a limited
 * time and few of a tenant at once. Results are kept for a short time, per tenant. Names that only the system knows
 * are asked of it one at a time, so that at most one of its four threads waits: ADR 73.
 */
export const nameResolver = ({
  hostsFile = process.platform === 'win32'
    ? `${process.env['SystemRoot']}\\System32\\drivers\\etc\\hosts`
    : '/etc/hosts',
  resolvConf = '/etc/resolv.conf',
  servers,
  system = name => systemDns.lookup(name, { all: true }),
  timeoutMs = timeoutUsualMs,
}: NameSources = {}): NameResolver => {
  const hosts = watched(hostsFile, hostsOf);
  const search = watched(resolvConf, searchOf);
  const queue = fairQueue({ atOnce, eachMax, waitingMax, name: 'names' });
  const systemQueue = fairQueue({ atOnce: 1, waitingMax: systemWaitingMax, name: 'names' });
  const kept = new LRUCache<string, Outcome>({ max: cachedMax });
  const underWay = new Map<string, Promise<Outcome>>();

  const fromSystem = async (name: string, tenant: string, signal: AbortSignal): Promise<Found> => {
    const asked = systemQueue.run(tenant, () => system(name), signal);
    return { addresses: await untilAborted(asked, signal, name), keepMs: failedMs };
  };

  const resolve = async (
    name: string,
    { tenant = '', asksSystem }: NameUse,
    signal: AbortSignal,
  ): Promise<Found> => {
    const plain = name.toLowerCase().replace(/\.$/, '');
    const own = hosts().get(plain);
    if (own) return { addresses: ordered(own), keepMs: 0 };
    if (/(^|\.)localhost$/.test(plain)) return { addresses: ordered(loopback), keepMs: 0 };
    let failed = false;
    for (const candidate of candidates(name, search())) {
      const found = await askServers(candidate, servers, signal);
      if (typeof found === 'object') return { ...found, addresses: ordered(found.addresses) };
      failed ||= found === 'failed';
    }
    if (asksSystem) return fromSystem(name, tenant, signal);
    throw nameError(failed ? 'EAI_AGAIN' : 'ENOTFOUND', name);
  };

  /** The kept outcome of a name, that of a resolution under way, or of a new one. */
  const outcomeOf = (name: string, use: NameUse): Promise<Outcome> | Outcome => {
    const { tenant } = use;
    const key = JSON.stringify([tenant, use.asksSystem, name]);
    const known = kept.get(key) ?? underWay.get(key);
    if (known) return known;
    const signal = AbortSignal.timeout(timeoutMs);
    const work = () => resolve(name, use, signal);
    const resolving = (tenant === undefined ? work() : queue.run(tenant, work, signal))
      .catch((error: NodeJS.ErrnoException): Outcome => ({
        error: silentCodes.includes(error.code ?? '') || signal.aborted ? nameError('ETIMEOUT', name) : error,
      }))
      .then(outcome => {
        underWay.delete(key);
        const keepMs = 'error' in outcome ? failedMs : outcome.keepMs;
        if (keepMs > 0) kept.set(key, outcome, { ttl: keepMs });
        return outcome;
      });
    underWay.set(key, resolving);
    return resolving;
  };

  return {
    lookupFor: use => (name, options: LookupOptions, callback) => {
      void Promise.resolve(outcomeOf(name, use)).then(outcome => {
        if ('error' in outcome) return callback(outcome.error, [], 0);
        const family = options.family === 4 || options.family === 6 ? options.family : 0;
        const addresses = outcome.addresses.filter(one => family === 0 || one.family === family);
        const [first] = addresses;
        if (!first) return callback(nameError('ENOTFOUND', name), [], 0);
        return options.all === true
          ? callback(null, [...addresses])
          : callback(null, first.address, first.family);
      });
    },
  };
};
