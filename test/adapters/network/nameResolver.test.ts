import fc from '../../helpers/property.js';
import type { LookupAddress } from 'node:dns';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { nameResolver, type NameSources, type NameUse } from '../../../adapters/network/nameResolver.js';
import { nameServer } from '../../helpers/nameServer.js';

const owner: NameUse = { asksSystem: false };

/** Resolves a name; the addresses, or the code of the error. */
const asking =
  (sources: NameSources) =>
  (name: string, use = owner, family?: 4 | 6): Promise<readonly string[] | string> =>
    askingOf(nameResolver(sources))(name, use, family);

const askingOf =
  (resolver: ReturnType<typeof nameResolver>) =>
  (name: string, use: NameUse = owner, family?: 4 | 6): Promise<readonly string[] | string> =>
    new Promise(resolve => {
      resolver.lookupFor(use)(name, { all: true, ...(family && { family }) }, (error, addresses) =>
        resolve(error?.code ?? (addresses as LookupAddress[]).map(({ address }) => address)),
      );
    });

/** Files of a test. */
const filesOf = (t: Test, hosts: string, resolvConf: string) => {
  const folder = t.testdir({ hosts, 'resolv.conf': resolvConf });
  return { hostsFile: join(folder, 'hosts'), resolvConf: join(folder, 'resolv.conf') };
};

t.test('names of the hosts file, of a server and of search domains', async t => {
  const { address, asked } = await nameServer(
    t,
    name =>
      ({
        'www.example.org': ['192.0.2.7', '192.0.2.8'],
        'mail.corp.example': ['192.0.2.9'],
        'a.b.corp.example': ['192.0.2.10'],
        'busy.example.org': 'refused' as const,
      })[name],
  );
  const files = filesOf(
    t,
    '# names\n10.0.0.5 Printer printer.lan # upstairs\n\n10.0.0.6 printer\nnot-an-address x\n',
    'nameserver 192.0.2.1\nsearch old.example\nsearch corp.example second.example\noptions timeout:1 ndots:2\n',
  );
  const ask = asking({ ...files, servers: [address], timeoutMs: 20_000 });
  t.strictSame(await ask('PRINTER'), ['10.0.0.5', '10.0.0.6']);
  t.strictSame(await ask('printer.lan'), ['10.0.0.5']);
  t.strictSame(await ask('localhost', owner, 4), ['127.0.0.1'], 'localhost is not asked of a server');
  t.strictSame(asked, []);
  t.strictSame(await ask('www.example.org'), ['192.0.2.7', '192.0.2.8']);
  t.strictSame(await ask('mail'), ['192.0.2.9'], 'searched in the domains of the last line');
  asked.length = 0;
  t.strictSame(await ask('a.b'), ['192.0.2.10'], 'one dot is less than ndots: searched first');
  t.notOk(asked.some(one => one.startsWith('a.b ')));
  t.equal(await ask('nobody.example.org'), 'ENOTFOUND');
  t.ok(
    asked.some(one => one.startsWith('nobody.example.org.second.example ')),
    'searched after it failed',
  );
  t.equal(await ask('nobody.'), 'ENOTFOUND');
  t.equal(await ask('busy.example.org'), 'EAI_AGAIN');
  t.equal(await ask(`${'x'.repeat(70)}.example.org`), 'ENOTFOUND', 'a label that is too long');
  writeFileSync(files.hostsFile, '10.0.0.77 printer\n');
  t.strictSame(await ask('printer'), ['10.0.0.77'], 'a changed file is read again');
  t.strictSame(await asking({ ...files, hostsFile: '/nowhere', servers: [address] })('www.example.org'), [
    '192.0.2.7',
    '192.0.2.8',
  ]);
});

t.test('both families are asked, and given as connections ask for them', async t => {
  const { address, asked } = await nameServer(t, () => ['192.0.2.7', '2001:db8::7']);
  const ask = asking({ ...filesOf(t, '', ''), servers: [address], timeoutMs: 20_000 });
  await ask('www.example.org');
  t.strictSame(asked.toSorted(), ['www.example.org IPv4', 'www.example.org IPv6']);
  t.strictSame(await ask('www.example.org', owner, 4), ['192.0.2.7']);
  const single = await new Promise((resolve, reject) => {
    nameResolver({ ...filesOf(t, '192.0.2.3 one\n', ''), servers: [address] }).lookupFor(owner)(
      'one',
      {},
      (error, found, family) => (error ? reject(error) : resolve([found, family])),
    );
  });
  t.strictSame(single, ['192.0.2.3', 4]);
});

t.test('a name with very many addresses has the first of each family', async t => {
  const addresses = Array.from({ length: 20 }, (_, index) => [
    `192.0.2.${index + 1}`,
    `2001:db8::${index + 1}`,
  ]);
  const { address } = await nameServer(t, () => addresses.flat());
  const ask = asking({ ...filesOf(t, '', ''), servers: [address], timeoutMs: 20_000 });
  for (const family of [4, 6] as const)
    t.equal(
      (await ask('www.example.org', owner, family)).length,
      16,
      `addresses of IPv${family} that are used`,
    );
});

t.test('results are kept for a short time, for each tenant', async t => {
  const { address, asked } = await nameServer(t, name => (name === 'a.example' ? ['192.0.2.7'] : undefined));
  const ask = askingOf(nameResolver({ ...filesOf(t, '', ''), servers: [address], timeoutMs: 20_000 }));
  const anna = { tenant: 'anna', asksSystem: false };
  await Promise.all(Array.from({ length: 20 }, () => ask('a.example', anna)));
  for (let i = 0; i < 5; i += 1) await ask('a.example', anna);
  for (let i = 0; i < 5; i += 1) t.equal(await ask('b.example', anna), 'ENOTFOUND');
  t.equal(asked.length, 4, 'each name once in each family');
  await ask('a.example', { tenant: 'ben', asksSystem: false });
  t.equal(asked.length, 6, 'another tenant does not see whether a name was asked for');
  const brief = await nameServer(t, () => ['192.0.2.7'], 0);
  const askBrief = askingOf(nameResolver({ ...filesOf(t, '', ''), servers: [brief.address] }));
  for (let i = 0; i < 3; i += 1) await askBrief('a.example');
  t.equal(brief.asked.length, 6, 'an answer that may not be kept is not kept');
});

t.test('names that no server answers delay nobody else', async t => {
  let isSilent = true;
  const { address, asked } = await nameServer(t, name =>
    !name.startsWith('hang') ? ['192.0.2.7'] : isSilent ? 'silent' : undefined,
  );
  const ask = askingOf(nameResolver({ ...filesOf(t, '', ''), servers: [address], timeoutMs: 60_000 }));
  const ended: unknown[] = [];
  const hanging = Array.from({ length: 50 }, async (_, index) => {
    ended.push(await ask(`hang-${index}.example`, { tenant: 'mallory', asksSystem: false }));
  });
  for (let tenant = 0; tenant < 20; tenant += 1)
    t.strictSame(await ask('good.example', { tenant: `tenant-${tenant}`, asksSystem: false }), ['192.0.2.7']);
  t.strictSame(await ask('good.example'), ['192.0.2.7']);
  t.strictSame(ended, [], 'the good names were first');
  const names = new Set(asked.map(one => one.split(' ')[0]).filter(name => name?.startsWith('hang')));
  t.ok(names.size <= 4, `${names.size} names of one tenant were asked for at once`);
  isSilent = false;
  await Promise.all(hanging);
  t.equal(ended.length, 50);
});

t.test('the system is asked last, one name at a time, where that is allowed', async t => {
  const { address } = await nameServer(t, name => (name.startsWith('hang') ? 'silent' : undefined));
  let running = 0;
  let most = 0;
  const asked: string[] = [];
  const ends: (() => void)[] = [];
  const system = async (name: string): Promise<readonly LookupAddress[]> => {
    asked.push(name);
    running += 1;
    most = Math.max(most, running);
    if (name.startsWith('block')) await new Promise<void>(resolve => ends.push(resolve));
    running -= 1;
    return [{ address: '192.0.2.99', family: 4 }];
  };
  const files = filesOf(t, '', '');
  const within = (timeoutMs: number) =>
    askingOf(nameResolver({ ...files, servers: [address], system, timeoutMs }));
  const [ask, askBriefly] = [within(60_000), within(500)];
  const allowed = { tenant: 'anna', asksSystem: true };
  t.equal(await ask('printer.local'), 'ENOTFOUND');
  t.strictSame(asked, [], 'not where that is not allowed');
  t.strictSame(await ask('printer.local', allowed), ['192.0.2.99']);
  t.equal(await askBriefly('hang.local', allowed), 'ETIMEOUT');
  t.strictSame(asked, ['printer.local'], 'a name that no server answers is not asked of the system');
  const blocked = await Promise.all(['block-1', 'block-2', 'block-3'].map(name => askBriefly(name, allowed)));
  t.strictSame(blocked, ['ETIMEOUT', 'ETIMEOUT', 'ETIMEOUT']);
  t.equal(most, 1, 'one thread at most');
  for (const end of ends) end();
});

t.test('without any server a name is asked of the system', async t => {
  const { address } = await nameServer(t, () => 'refused');
  const system = async () => [{ address: '192.0.2.99', family: 4 }];
  const ask = asking({ ...filesOf(t, '', ''), servers: [address], system, timeoutMs: 20_000 });
  t.strictSame(await ask('www.example.org', { asksSystem: true }), ['192.0.2.99']);
});

t.test('every name ends with addresses or one error', async t => {
  const { address } = await nameServer(t, () => undefined);
  const ask = asking({ ...filesOf(t, '', 'search a.example'), servers: [address], timeoutMs: 20_000 });
  const codes = ['ENOTFOUND', 'EAI_AGAIN'];
  const label = fc.oneof(fc.string({ maxLength: 70 }), fc.string({ unit: 'binary', maxLength: 10 }));
  await fc.assert(
    fc.asyncProperty(fc.array(label, { maxLength: 5 }), async labels => {
      const found = await ask(labels.join('.'));
      return typeof found === 'string' ? codes.includes(found) : found.length > 0;
    }),
    { numRuns: 100 },
  );
});
