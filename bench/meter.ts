// Loaded into a service before its own code (`node --import`): measures the delay of its event loop. On SIGUSR2 it
// prints a line of JSON on standard error, in milliseconds since the last signal, and starts again. With LOAD_PROFILE
// it writes a CPU profile of the time between the first two signals to that file.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Interval of the timer in ms; only longer delays count. */
const resolution = 5;

/** A function to be called at the start of the measurement and at its end. */
const profiler = (file: string): (() => void) => {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  let running = false;
  return () => {
    if (running)
      session.post('Profiler.stop', (_, { profile }) => writeFileSync(file, JSON.stringify(profile)));
    else session.post('Profiler.start');
    running = true;
  };
};

if (isMainThread) {
  const file = process.env['LOAD_PROFILE'];
  const profile = file === undefined ? undefined : profiler(file);
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const ms = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution);
  process.on('SIGUSR2', () => {
    const [p50, p90, p99, max] = [50, 90, 99, 100].map(share => ms(delay.percentile(share)));
    process.stderr.write(`delay ${JSON.stringify({ p50, p90, p99, max })}\n`);
    profile?.();
    delay.reset();
  });
}
