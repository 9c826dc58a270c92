import { setTimeout as sleep } from 'node:timers/promises';
import { fairQueue } from '../../../application/ports/sharing/fairQueue.js';
import { plural } from '../../../domain/text.js';
import { SettingsError } from '../../settings/values.js';
import { accessOf, daybookAt, SourceArchived, TokenRefused } from '../pull/daybook.js';
import { feedOfOptions, feedOptions, feedsOf, stepSecondsMin, type Feed } from '../pull/feeds.js';
import { pullFeed, settleSeconds, type Pulled, type Pulling } from '../pull/pullFeed.js';
import { PullFault } from '../pull/retries.js';
import { parsedArguments, type Command } from '../terminal/arguments.js';
import { textOptions, textOfFile } from '../terminal/inputFiles.js';
import { plain } from '../terminal/text.js';

const usage = `usage: daybook pull --config <feeds.yaml> [--follow]
       daybook pull --prometheus <address> --query <promql> --name <name> --since <date> [options]

Reads the values of PromQL queries from Prometheus, or from VictoriaMetrics, Thanos or Mimir, and sends them to the
service: a new source is created from a year of history, later values are its points. Run it again to go on where the
data of the source end, after a crash as well. The service is in DAYBOOK_URL (default: http://127.0.0.1:8080), a token
with the scopes read and import in DAYBOOK_TOKEN. Credentials for Prometheus are in PROMETHEUS_TOKEN, or in
PROMETHEUS_USER and PROMETHEUS_PASSWORD. NODE_EXTRA_CA_CERTS names a file of further certificate authorities.

  --config <file>            the feeds in YAML; docs/cli.md has their fields
  --follow                   goes on until SIGTERM or SIGINT: each feed once a step, at most every 15 seconds;
                             ends when the service refuses the token
  --prometheus <address>     the server of one feed, without /api/v1
  --query <promql>           its query, whose answer is one series
  --name <name>              the name of its source, which is created if there is none
  --since <date>             the first date, of the reference of a new source
  --until <date>             the last date (default: today)
  --step <duration>          time between two values, 15s to 1d (default: a slice of the source; 30m for a new one)
  --stamps <start or end>    whether a value belongs to the step after its time (default) or, as with
                             avg_over_time, before it
  --time-zone, --calendar, --activity-size, --aggregation, --interpolation
                             choices of a new source, as in the API

Exit codes: 0 all feeds are pulled, 1 a query, its data or the service refused a feed, 2 wrong usage or refused
credentials, 3 a server cannot be reached or its answers are not complete.
`;

const configBytesMax = 1_000_000;
/** Feeds that are pulled at the same time. */
const atOnce = 4;
const serviceRetries = 6;

/** Feeds of the arguments. @throws SettingsError, WrongArguments */
const optionsOf = (args: readonly string[], env: NodeJS.ProcessEnv) => {
  const { values } = parsedArguments({
    args: [...args],
    options: {
      config: { type: 'string' },
      follow: { type: 'boolean', default: false },
      ...textOptions(feedOptions),
    },
  });
  const { config, follow, ...single } = values;
  if (config === undefined) return { follow, feeds: [feedOfOptions(single, env)] };
  const [extra] = Object.keys(single);
  if (extra !== undefined) throw new SettingsError(`got --config and --${extra}, expected one of them`);
  return { follow, feeds: feedsOf(textOfFile(config, configBytesMax), config, env) };
};

/** A pull of a feed: its exit code, how far it was pulled, and its error. */
type Reported = { readonly code: number; readonly pulled: Pulled | undefined; readonly error?: unknown };

/** Pulls a feed and reports its fault. */
const reported = async (feed: Feed, pulling: Omit<Pulling, 'say'>, before?: Pulled): Promise<Reported> => {
  const title = plain(feed.title);
  const say = (line: string): void => void process.stdout.write(`${title}: ${line}\n`);
  try {
    return { code: 0, pulled: await pullFeed(feed, { ...pulling, say }, before) };
  } catch (error) {
    if (pulling.signal.aborted) return { code: 0, pulled: before };
    // An error that is not foreseen ends the pull of its feed only.
    const { message, exitCode } = error instanceof PullFault ? error : new PullFault(3, String(error));
    process.stderr.write(`${title}: ${message}\n`);
    return { code: exitCode, pulled: before, error };
  }
};

/**
 * Pulls a feed again after each step, until its source is archived. The fault of a poll is reported, and the next poll
 * goes on.
 */
const followFeed = async (
  feed: Feed,
  pulling: Pick<Pulling, 'nowMs' | 'signal'>,
  pullOnce: (feed: Feed, before?: Pulled) => Promise<Reported>,
  first: Reported,
): Promise<void> => {
  let last = first;
  while (!pulling.signal.aborted && !(last.error instanceof SourceArchived)) {
    const { pulled } = last;
    const intervalMs = 1000 * Math.max(stepSecondsMin, pulled?.stepSeconds ?? feed.stepSeconds ?? 60);
    const sinceStepMs = (pulling.nowMs() - 1000 * settleSeconds) % intervalMs;
    await sleep(intervalMs - sinceStepMs, undefined, { signal: pulling.signal }).catch(() => undefined);
    if (!pulling.signal.aborted) last = await pullOnce(feed, pulled);
  }
};

/** The exit code of several feeds: wrong settings, then unavailable servers, then faults of data. */
const worst = (codes: readonly number[]): number => [2, 3, 1].find(code => codes.includes(code)) ?? 0;

export const pull: Command = {
  usage,
  run: async (args, env) => {
    const { feeds, follow } = optionsOf(args, env);
    const access = accessOf(env, 'the scopes read and import');
    const controller = new AbortController();
    const { signal } = controller;
    const daybook = daybookAt(access, { retries: serviceRetries, signal });
    const pulling = { daybook, signal, nowMs: () => Date.now() };
    if (follow)
      for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => controller.abort());
    const slots = fairQueue({ atOnce, waitingMax: Infinity, name: 'feeds' });
    let isRefused = false;
    const pullOnce = async (feed: Feed, before?: Pulled): Promise<Reported> => {
      const report = await slots.run('', () => reported(feed, pulling, before));
      isRefused ||= report.error instanceof TokenRefused;
      if (follow && isRefused) controller.abort();
      return report;
    };
    const results = await Promise.all(feeds.map(feed => pullOnce(feed)));
    if (follow) {
      await Promise.all(feeds.map((feed, index) => followFeed(feed, pulling, pullOnce, results[index]!)));
      if (isRefused) process.stderr.write('--follow ends: a restart is needed to use another token\n');
      return isRefused ? 2 : signal.aborted ? 0 : 1;
    }
    const codes = results.map(({ code }) => code);
    const failed = codes.filter(code => code !== 0).length;
    process.stdout.write(`${plural(feeds.length, 'feed')}, ${failed} failed\n`);
    return worst(codes);
  },
};
