import t from 'tap';
import { meteredSender, noMetrics } from '../../../application/ports/monitoring.js';
import type { Sent } from '../../../application/ports/deliveries.js';

const request = {
  tenant: 'default',
  url: 'https://receiver.example/',
  id: '1',
  body: '{}',
  webhookId: 'w',
  secrets: [],
};

t.test('the result of each request to a receiver is recorded', async t => {
  const results: readonly (readonly [Pick<Sent, 'status' | 'failure'>, string])[] = [
    [{ status: 204, failure: null }, 'delivered'],
    [{ status: 199, failure: null }, 'refused'],
    [{ status: 302, failure: null }, 'refused'],
    [{ status: 500, failure: null }, 'refused'],
    [{ status: null, failure: 'timeout' }, 'timeout'],
    [{ status: null, failure: 'addressRefused' }, 'addressRefused'],
  ];
  for (const [result, expected] of results) {
    const recorded: unknown[] = [];
    const metrics = { ...noMetrics, delivered: (delivery: unknown) => void recorded.push(delivery) };
    const sender = { send: async () => ({ latencyMs: 250, ...result }) };
    await meteredSender(sender, metrics).send(request, new AbortController().signal);
    t.strictSame(recorded, [{ result: expected, seconds: 0.25 }]);
  }
});

t.test('a request that the service ended is not recorded', async t => {
  const metrics = { ...noMetrics, delivered: () => t.fail('recorded') };
  const sender = {
    send: async (): Promise<Sent> => ({ latencyMs: 1, status: null, failure: 'unreachable' }),
  };
  const sent = await meteredSender(sender, metrics).send(request, AbortSignal.abort());
  t.equal(sent.failure, 'unreachable');
});
