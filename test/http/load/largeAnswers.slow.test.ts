import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { Database } from '../../../adapters/sqlite/driver.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { analysed, eventually, idle, startService } from '../../helpers/service.js';

// Answers that grow with the data: few at once, from one state, in bounded memory, never a cut that looks whole.

const service = await startService(t);
const { call, tokenFor } = service;
const slices = 144;
const fineDay = (date: string) => ({
  date,
  activity: Array.from({ length: slices }, (_, slice) => {
    const noise = ((dayNumber(date) * 7919 + slice * 104_729) % 1009) / 1009;
    return Math.round((50 + 40 * Math.sin(slice / 23) + 5 * noise) * 1e6) / 1e6;
  }),
});
const fineDays = (first: string, count: number) =>
  Array.from({ length: count }, (_, n) => fineDay(dateOf(dayNumber(first) + n)));

const newSource = async (tenant: string): Promise<{ readonly token: string; readonly id: number }> => {
  const token = await tokenFor({ tenant });
  const own = ((method, path, sent) => call(method, path, { ...sent, token })) as typeof call;
  const { body } = await own<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name: 'Gate', referenceYear: 2023, days: fineDays('2023-01-01', 365) },
  });
  await analysed(own, body.source.id);
  const imported = await own('POST', '/v1/import/days', {
    json: { sourceId: body.source.id, days: fineDays('2024-01-01', 300) },
  });
  if (imported.status !== 200) throw new Error(imported.text);
  return { token, id: body.source.id };
};
const one = await newSource('one');
const two = await newSource('two');
await idle(call);
const path = ({ id }: typeof one, format: string, name = 'residuals'): string =>
  `/v1/table/${id}/${name}?from=2023-01-01&to=2025-01-01&format=${format}`;

/** A client that reads the head of an answer and nothing more until `rest`. */
const slowReader = async (t: Test, { token }: typeof one, path: string, method = 'GET') => {
  const { hostname, port } = new URL(service.address());
  const socket: Socket = connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  let text = '';
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  );
  await new Promise<void>(resolve =>
    socket.on('data', function listen(chunk: Buffer) {
      text += chunk.toString();
      if (!text.includes('\r\n\r\n')) return;
      socket.pause();
      socket.off('data', listen);
      resolve();
    }),
  );
  const [head = '', begun = ''] = text.split('\r\n\r\n');
  return {
    socket,
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    head,
    /** The whole body, chunked as it came; the socket ends after it. */
    rest: (): Promise<string> =>
      new Promise(resolve => {
        let body = begun;
        socket.on('data', (chunk: Buffer) => (body += chunk.toString()));
        socket.once('close', () => resolve(body));
        socket.resume();
      }),
  };
};
/** The body of a chunked transfer coding. */
const unchunked = (text: string): string => {
  let body = '';
  for (let rest = text; ;) {
    const end = rest.indexOf('\r\n');
    const length = Number.parseInt(rest.slice(0, end), 16);
    if (!(length > 0)) return body;
    body += rest.slice(end + 2, end + 2 + length);
    rest = rest.slice(end + 4 + length);
  }
};

t.test('large tables of one tenant: some are sent, the others are refused, other tenants go on', async t => {
  const readers = await Promise.all(Array.from({ length: 40 }, () => slowReader(t, one, path(one, 'json'))));
  const counts = (status: number) => readers.filter(reader => reader.status === status).length;
  t.equal(counts(200), 8);
  t.equal(counts(503), 32);
  t.match(readers.find(({ status }) => status === 503)?.head, /\r\nRetry-After: 5\r\n/i);
  t.match(await call('GET', path(one, 'csv'), { token: one.token }), {
    status: 503,
    body: { code: 'queueFull', detail: /8 large answers of this tenant/ },
  });
  t.equal((await call('GET', path(two, 'csv'), { token: two.token })).status, 200, 'another tenant');
  const small = `/v1/table/${one.id}/checks?from=2024-01-01&to=2024-02-01`;
  t.equal((await call('GET', small, { token: one.token })).status, 200, 'a small table');
  for (const { socket } of readers) socket.destroy();
  await eventually('a free place', async () => {
    const { status } = await call('GET', path(one, 'ndjson'), { token: one.token });
    return status === 200 || undefined;
  });
});

t.test('HEAD frees its place', async t => {
  for (let n = 0; n < 20; n += 1) {
    const { status, rest } = await slowReader(t, one, path(one, 'json'), 'HEAD');
    await rest();
    t.equal(status, 200);
  }
});

t.test('a change in the midst of an answer is not in it', async t => {
  for (const [name, format] of [
    ['residuals', 'json'],
    ['days', 'ndjson'],
  ] as const) {
    const reader = await slowReader(t, one, path(one, format, name));
    const position = /\r\nX-Daybook-Position: (\d+)\r\n/i.exec(reader.head)?.[1];
    const changed = fineDays('2024-03-01', 200).map(({ date, activity }) => ({
      date,
      activity: activity.map(value => value + name.length),
    }));
    const { status } = await call('POST', '/v1/import/days', {
      token: one.token,
      json: { sourceId: one.id, days: changed },
    });
    t.equal(status, 200);
    await call('POST', `/v1/model/reset/${one.id}/2`, { token: one.token });
    const body = unchunked(await reader.rest());
    const then = await call('GET', `${path(one, format, name)}&asOf=${position}`, { token: one.token });
    t.ok(body === then.text, `${name}: ${body.length} characters as of position ${position}`);
    const now = await call('GET', path(one, format, name), { token: one.token });
    t.not(now.text, body, 'the next answer has the change');
  }
});

t.test('an answer as of a moment goes on when its read models leave the cache', async t => {
  const asOf = String(service.eventCount() - 1);
  const whole = await call('GET', `${path(one, 'json')}&asOf=${asOf}`, { token: one.token });
  const reader = await slowReader(t, one, `${path(one, 'json')}&asOf=${asOf}`);
  for (let back = 2; back < 9; back += 1) {
    const earlier = service.eventCount() - back;
    await call('GET', `/v1/source/${one.id}?asOf=${earlier}`, { token: one.token });
  }
  t.ok(unchunked(await reader.rest()) === whole.text);
});

t.test('all sources of an overview are of one state', async t => {
  const token = await tokenFor({ tenant: 'many' });
  const own = ((method, path, sent) => call(method, path, { ...sent, token })) as typeof call;
  const ids: number[] = [];
  for (let n = 0; n < 130; n += 1) {
    const { body } = await own<{ source: { id: number } }>('POST', '/v1/import/create-source', {
      json: {
        ...{ name: `Gate ${n}`, referenceYear: 2023 },
        days: fineDays('2023-01-01', 14).map(({ date, activity }) => ({
          date,
          activity: activity.slice(0, 4),
        })),
      },
    });
    ids.push(body.source.id);
  }
  await idle(call);
  const [first = 0, last = 0] = [ids[0], ids.at(-1)];
  let done = false;
  // Each date is imported into the first source before the last one.
  const importing = (async () => {
    for (let n = 0; n < 60; n += 1)
      for (const sourceId of [first, last])
        await own('POST', '/v1/import/days', {
          json: { sourceId, days: [{ date: dateOf(dayNumber('2024-01-01') + n), activity: [1, 2, 3, 4] }] },
        });
    done = true;
  })();
  type Overview = { readonly sources: readonly { readonly id: number; readonly days: readonly unknown[] }[] };
  let seen = 0;
  while (!done) {
    const { status, body } = await own<Overview>('GET', '/v1/overview?to=2024-03-31&days=91');
    if (status !== 200) t.fail(`overview: ${status}`);
    const count = (id: number): number => body.sources.find(source => source.id === id)?.days.length ?? 0;
    t.ok(
      count(first) - count(last) >= 0 && count(first) - count(last) <= 1,
      `${count(first)} and ${count(last)}`,
    );
    seen += 1;
  }
  await importing;
  t.ok(seen > 2, `${seen} overviews`);
});

t.test('an error in the midst of an answer ends the connection', async t => {
  const damage = `update day_values set activity = '{' where date = '2024-10-20' and event_position =
    (select event_position from days where source_id = ? and kind = 'recent' and date = '2024-10-20')`;
  for (const format of ['json', 'csv', 'ndjson', 'arrow']) {
    // The read models are rebuilt after each error.
    await eventually('a damaged day', () => {
      const file = new Database(service.readModelsFile);
      try {
        return file.prepare(damage).run(two.id).changes === 1 || undefined;
      } catch {
        return undefined;
      } finally {
        file.close();
      }
    });
    const answer = await fetch(`${service.address()}${path(two, format, 'days')}`, {
      headers: { Authorization: `Bearer ${two.token}` },
    });
    t.equal(answer.status, 200, format);
    await t.rejects(answer.arrayBuffer(), /terminated/, `${format}: the client sees the end`);
  }
  t.match(service.logged(), /"msg":"response failed"/);
  t.equal((await call('GET', path(one, 'csv'), { token: one.token })).status, 200, 'the service goes on');
});
