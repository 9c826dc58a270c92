// `daybook mute` and `daybook rule` as processes, against a running service.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { mute, rule } from '../../../adapters/cli/commands/serviceRequests.js';
import { exactList } from '../../helpers/exactList.js';
import { run } from '../../helpers/process.js';
import { ordinaryDays, startService } from '../../helpers/service.js';

const service = await startService(t);
const { call } = service;
const env = { DAYBOOK_URL: service.address(), DAYBOOK_TOKEN: await service.tokenFor({}) };
await call('POST', '/v1/import/create-source', {
  json: { name: 'Hall', referenceYear: 2023, days: ordinaryDays('2023-01-01', 28) },
});
const daybook = (line: string, ...more: string[]) => run([...line.split(' '), ...more], env);
const withoutProcess = async (line: string) => {
  const [name, ...args] = line.split(' ');
  return (name === 'mute' ? mute : rule).run(args, env);
};
const jsonOf = async <Body>(line: string) => JSON.parse((await daybook(`${line} --json`)).stdout) as Body;

type Mutes = { readonly mutes: readonly { readonly id: string; readonly reason: string }[] };
type Rules = { readonly rules: readonly { readonly id: string; readonly name: string }[] };

const soon = new Date(Date.now() + 86_400_000).toISOString();

t.test('mute: created for a source and for labels, listed, ended', async t => {
  t.match(await daybook('mute list'), { code: 0, stdout: 'no mutes\n', stderr: '' });
  const until = `--until ${soon.replace('Z', '+00:00')}`;
  t.match(await daybook(`mute create --source 1 ${until} --reason`, 'Sprinkler test'), {
    code: 0,
    stdout: new RegExp(`^id +muted .*\n[0-9a-f-]{36} +source 1 .* ${soon} .*Sprinkler test\n$`),
  });
  const labels = '--label site:north --label kind:a:b';
  t.match(
    await daybook(`mute create ${labels} --from ${soon.slice(0, 10)}T00:00:00Z ${until} --reason two`),
    {
      code: 0,
      stdout: / (site:north kind:a:b|kind:a:b site:north) /,
    },
  );
  const { mutes } = await jsonOf<Mutes>('mute list');
  t.match(
    mutes,
    exactList({ sourceId: 1, until: soon, reason: 'Sprinkler test' }, { labels: { kind: 'a:b' } }),
  );
  for (const { id } of mutes) t.match(await daybook(`mute end ${id}`), { code: 0, stdout: `ended: ${id}\n` });
  t.match(await daybook(`mute end ${mutes[0]?.id}`), { code: 0 }, 'again');
  t.match(await daybook('mute end none'), { code: 1, stderr: /answered 404/ });
  t.strictSame(await jsonOf('mute list'), { mutes: [] });
});

t.test('rule: previewed, added from a rule and a file, listed, deleted', async t => {
  const monthEnd = ['--name', 'Month end', '--rule', 'FREQ=MONTHLY;BYMONTHDAY=-1'];
  const preview = await daybook('rule preview --source 1', ...monthEnd);
  t.match(preview, { code: 0, stdout: /^id .*\n\(preview\) +Month end +source 1 / });
  const dates = preview.stdout.match(/^[A-Z][a-z]{2} \d{4}-\d\d-(28|29|30|31)$/gm);
  t.equal(dates?.length, 10, 'ten last days of a month');
  t.match(await daybook('rule list'), { code: 0, stdout: 'no calendar rules\n' }, 'nothing was stored');
  t.match(await daybook('rule add --source 1', ...monthEnd), { code: 0, stdout: / Month end +source 1 / });
  const file = join(t.testdir(), 'fair.ics');
  const year = new Date().getUTCFullYear() + 1;
  const event = `BEGIN:VEVENT\r\nUID:1\r\nDTSTART;VALUE=DATE:${year}0503\r\nSUMMARY:Fair\r\nEND:VEVENT`;
  writeFileSync(
    file,
    `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n${event.replace('UID', `DTSTAMP:${year}0101T000000Z\r\nUID`)}\r\nEND:VCALENDAR\r\n`,
  );
  t.match(await daybook('rule add --label site:Lyon --label floor:1 --name Fair --file', file), {
    code: 0,
    stdout: new RegExp(` Fair +(floor:1 site:Lyon|site:Lyon floor:1) +1 +${year}-05-03 +file\n`),
  });
  const { rules } = await jsonOf<Rules>('rule list');
  t.strictSame(
    rules.map(({ name }) => name),
    ['Fair', 'Month end'],
  );
  t.match((await jsonOf<Rules>('rule list --source 1')).rules, exactList({ name: 'Month end' }));
  for (const { id } of rules)
    t.match(await daybook(`rule delete ${id}`), { code: 0, stdout: `deleted: ${id}\n` });
  t.strictSame(await jsonOf('rule list'), { rules: [] });
});

t.test('a deletion whose answer was lost is repeated with its key', async t => {
  const keys: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    keys.push(headers['idempotency-key']);
    if (keys.length === 1) response.destroy();
    else response.end('{"id":"x"}');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const deletion = run(['rule', 'delete', 'x'], { ...env, DAYBOOK_URL: address });
  t.match(await deletion, { code: 0, stdout: 'deleted: x\n' });
  t.match(keys, exactList(/^[0-9a-f-]{36}$/, String(keys[0])));
});

t.test('mute and rule: wrong usage, refusals, no service', async t => {
  const until = `--until ${soon} --reason x`;
  for (const [line, message] of [
    ['mute', /^got nothing, expected a verb: list, create, end; see daybook mute --help/],
    ['mute craete', /^got "craete", expected a verb, perhaps create/],
    ['mute list --source 1', /^got --source, expected/],
    [`mute create ${until}`, /^got 0 of --source, --label and --incident, expected one of them/],
    [`mute create --source 1 --incident x ${until}`, /^got 2 of --source/],
    [`mute create --label site ${until}`, /^--label: got "site", expected key:value/],
    ['mute create --source 1 --until tomorrow --reason x', /^--until: got "tomorrow", expected an instant/],
    ['mute create --source 1 --reason x', /^--until: got none/],
    ['rule add --source 1 --name x', /^got 0 of --rule and --file/],
    ['rule add --source 1 --rule FREQ=DAILY', /^--name: got none/],
    ['rule add --source 1 --name x --file none.ics', /^none\.ics cannot be read/],
  ] as const)
    await t.rejects(withoutProcess(line), { message }, line);
  t.match(await daybook('mute end'), { code: 2, stdout: '', stderr: /^got 0 ids, expected one/ });
  t.match(await daybook('rule add --source 1 --name x --rule FREQ=NEVER'), {
    code: 1,
    stderr: /^the service answered 422: .*NEVER/,
  });
  t.match(await daybook(`mute create --source 99 ${until}`), { code: 1, stderr: /answered 404/ });
  const withEnv = (own: object) => run(['mute', 'list'], { ...env, ...own });
  t.match(await withEnv({ DAYBOOK_TOKEN: '' }), {
    code: 2,
    stderr: /got none, expected a token with the scope/,
  });
  t.match(await withEnv({ DAYBOOK_TOKEN: 'x' }), { code: 2, stderr: /DAYBOOK_TOKEN is refused \(401\)/ });
  t.match(await withEnv({ DAYBOOK_URL: 'http://127.0.0.1:1' }), { code: 3, stderr: /after 4 attempts/ });
});
