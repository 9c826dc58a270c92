import { pino } from 'pino';
import fc from '../../helpers/property.js';
import t from 'tap';
import { calmLog } from '../../../adapters/monitoring/calmLog.js';
import { QueueFull } from '../../../application/ports/analyst.js';
import { StorageFull, StoreUnavailable } from '../../../application/ports/eventStore.js';

/** A calm log whose clock a test moves; `lines` are what was written. */
const world = () => {
  const lines: {
    readonly msg: string;
    readonly err?: { readonly stack: string };
    readonly count?: number;
  }[] = [];
  let nowMs = 0;
  const looks: { readonly ms: number; readonly run: () => void; nextMs: number }[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as (typeof lines)[number]);
  const log = calmLog(pino({ level: 'info' }, { write }), {
    elapsedMs: () => nowMs,
    every: (ms, run) => void looks.push({ ms, run, nextMs: ms }),
  });
  return {
    log,
    lines,
    wait: (ms: number): void => {
      for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 1000)
        for (const look of looks)
          if (nowMs >= look.nextMs) {
            look.nextMs += look.ms;
            look.run();
          }
    },
  };
};

t.test(
  'an outage of nineteen minutes is a line at its begin, one each five minutes and one at its end',
  async t => {
    const { log, lines, wait } = world();
    for (let s = 0; s < 1140; s += 5) {
      log.warn({ err: new StoreUnavailable(`connection ${s} refused`) }, 'log unreadable; retrying');
      wait(5000);
    }
    wait(120_000);
    t.strictSame(
      lines.map(({ msg }) => msg.replaceAll(/\d+/g, 'n')),
      [
        'log unreadable; retrying',
        ...Array.from(
          { length: 3 },
          () => 'log unreadable; retrying (storeUnavailable): goes on, n more so far',
        ),
        'log unreadable; retrying (storeUnavailable): ended after n more',
      ],
    );
    t.match(lines[0]?.err?.stack, /StoreUnavailable/);
    t.equal(lines.at(-1)?.count, 227);
    log.warn({ err: new StoreUnavailable('again') }, 'log unreadable; retrying');
    t.equal(lines.length, 6, 'the next outage is reported again');
  },
);

t.test('a flood of 503 is one line, other causes and faults of the code are written', async t => {
  const { log, lines, wait } = world();
  for (let i = 0; i < 1000; i += 1)
    log.error({ err: new QueueFull(`${i} are waiting`), requestId: `${i}` }, 'request failed');
  log.error({ err: new StorageFull('no space') }, 'request failed');
  for (let i = 0; i < 3; i += 1) log.error({ err: new TypeError('x is undefined') }, 'request failed');
  for (let i = 0; i < 3; i += 1) log.warn({ passing: 'log' }, 'subscription ended; resubscribing');
  log.info('one');
  log.warn('two');
  log.child({ a: 1 }).info('three');
  t.equal(lines.length, 1 + 1 + 3 + 1 + 3);
  wait(120_000);
  t.equal(lines.find(({ msg }) => msg.includes('ended after 999 more'))?.count, 999);
});

t.test('over random histories every line is written or counted', async () => {
  const event = fc.record({ waitS: fc.integer({ min: 0, max: 200 }), isStore: fc.boolean() });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), events => {
      const { log, lines, wait } = world();
      for (const { waitS, isStore } of events) {
        wait(waitS * 1000);
        log.warn({ err: isStore ? new StoreUnavailable('s') : new StorageFull('d') }, 'cause');
      }
      wait(200_000);
      const begun = lines.filter(({ msg }) => msg === 'cause').length;
      const counted = lines.filter(({ msg }) => msg.includes('ended after')).map(({ count }) => count ?? NaN);
      return begun + counted.reduce((sum, one) => sum + one, 0) === events.length;
    }),
  );
});
