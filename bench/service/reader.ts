// Worker thread of the benchmark: a client that reads the list of sources, at most a hundred times per second. It gets
// the address and a token, and answers each message with the milliseconds of its reads.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { address, token } = workerData as { readonly address: string; readonly token: string };
const times: number[] = [];
let reading = true;
parentPort?.once('message', () => (reading = false));
while (reading) {
  const begun = performance.now();
  const answer = await fetch(`${address}/v1/source/list`, { headers: { Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`the list of sources: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  times.push(performance.now() - begun);
  await sleep(10);
}
parentPort?.postMessage(times);
