import t from 'tap';
import { clock } from '../../../application/followUps/clock.js';
import { exactList } from '../../helpers/exactList.js';

type Parts = Parameters<typeof clock>[0];

t.test('an uptime that cannot be stored is reported once, and the clock goes on', async t => {
  const warnings: unknown[] = [];
  let nowMs = Date.parse('2024-03-04T06:00:00.000Z');
  let beats = 0;
  const { start, stop } = clock({
    models: {
      rhythms: { overdue: () => [], nextDeadline: () => undefined },
      mutes: { due: () => [], nextEnd: () => undefined },
    },
    parking: {},
    handle: undefined,
    caughtUp: async () => void (beats += 1),
    uptime: {
      read: () => undefined,
      write: () => {
        throw new Error('no space');
      },
    },
    log: { warn: (fault: unknown) => warnings.push(fault), error: (fault: unknown) => warnings.push(fault) },
    environment: {
      nowMs: () => nowMs,
      after: (delayMs: number, task: () => void) => {
        nowMs += delayMs;
        const timer = setImmediate(task);
        return () => clearImmediate(timer);
      },
    },
  } as unknown as Parts);
  start();
  while (beats < 3) await new Promise(resolve => setImmediate(resolve));
  await stop();
  t.match(warnings, exactList({ err: { message: 'no space' } }));
});
