import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports below those that systems give to programs that ask for any: no other test gets one by chance. */
const [first, last] = [20_000, 32_000];

/** A port that is free now, for a service that is restarted at the same address. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(first, last);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
};
