import t from 'tap';
import { bodyPlaces } from '../../../adapters/http/body.js';
import { QueueFull } from '../../../application/ports/analyst.js';

/** Bytes of a body of 100 MB. */
async function* bytes(): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(10_000_000);
  for (let count = 0; count < 10; count += 1) yield chunk;
}

const drained = async (stream: AsyncIterable<Buffer>): Promise<number> => {
  let length = 0;
  for await (const chunk of stream) length += chunk.length;
  return length;
};

t.test('a body counts with its memory until its content has been used', async t => {
  const read = bodyPlaces({ watchQueue: () => {} });
  const from = { actor: { tenant: 'one' }, stream: bytes(), signal: undefined } as never;
  const memory = { ofByte: 4, most: 300_000_000 };
  let stop = (): void => {};
  const used = new Promise<void>(resolve => (stop = resolve));
  let begin = (): void => {};
  const begun = new Promise<void>(resolve => (begin = resolve));
  const first = read(from, drained, async length => (begin(), await used, length), memory);
  await begun;
  const again = () =>
    read({ ...(from as object), stream: bytes() } as never, drained, async length => length, memory);
  await t.rejects(again(), QueueFull, 'two bodies of 300 MB are more than half of 1 GB');
  t.equal(
    await read({ ...(from as object), stream: bytes() } as never, drained, async length => length),
    100_000_000,
    'days need less',
  );
  stop();
  t.equal(await first, 100_000_000);
  t.equal(await again(), 100_000_000, 'its memory is free again');
});
