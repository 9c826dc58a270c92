import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { SettingsError } from '../../settings/values.js';
import { csvOptions, parametersIn, textOptions, Unreadable } from '../terminal/inputFiles.js';
import { parsedArguments, integerOption, type Command } from '../terminal/arguments.js';
import {
  outputOf,
  screenTokenCommand,
  signInLinkOf,
  screenToken,
  tokenExpiresInS,
  type Output,
} from './token.js';
import { ProblemError, UnfinishedError } from '../../../client/index.js';
import { clientOf, type FileParameters } from '../demo/client.js';
import { madeUpData, userData, plantedCount, sampleMinutes } from '../demo/data.js';
import { faultsReport, timesReport } from '../demo/modelsReport.js';
import { type Style, plain, wrap, colorsOf, paint } from '../terminal/text.js';
import { stepRunner, runTour } from '../demo/tour.js';
import { plural } from '../../../domain/text.js';
import { pino } from 'pino';
import { analyst } from '../../analyst.js';
import { mintToken, scopes } from '../../http/middleware/tokens.js';
import { readSettings } from '../../settings/settings.js';

/** A service in this process, and tokens for it. */
type DemoService = {
  readonly address: string;
  readonly dataDir: string;
  /** Token of the demo itself, with all scopes. */
  readonly token: string;
  /** Token for people, with the scopes of the screens. */
  readonly screenToken: string;
  readonly stop: () => Promise<void>;
};

/**
 * Starts a service in this process, on a free port, with its store in `dataDir`. The user's settings are ignored, so
 * that a demo never touches real data. A thread prepares for the analysis while the modules of the service load.
 * @param fault called when the service stops after a fatal error
 */
const startDemoService = async (dataDir: string, fault: (error: unknown) => void): Promise<DemoService> => {
  const given = analyst(fault);
  given.practise();
  const { start } = await import('../../main.js');
  const settings = readSettings({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' });
  const claims = { subject: 'demo', tenant: 'default', scopes };
  const token = await mintToken(settings.tokens, claims, tokenExpiresInS);
  const { address, stop } = await start(settings, pino({ level: settings.logLevel }), fault, { given });
  return { address, dataDir, token, screenToken: await screenToken(settings.tokens, 'demo'), stop };
};

const usage = `usage: daybook demo [--seed N] [--serve]
       daybook demo [--serve] reference.csv recent.csv [options]

Starts its own service in a temporary folder and imports a reference year and the months after
it. Shows the typical days that the service learned, its planning, and the days that it finds
unusual. Without files the data is made up and has planted unusual days. Files have the format
of an import ("date";"value", UTC, decimal comma) unless options say otherwise, or are packed
as .csv.gz.

  --seed N   seed of the made-up data: an integer, default 1
  --serve    keeps the service running until Ctrl-C; on a terminal with a token to try it out
  --separator, --decimal, --date-format, --date-column, --value-column, --time-zone, --clock
             how the files are written, as in the API
  --help     prints this text

Lines fit terminals of 40 to 100 columns; narrow ones show charts and alerts on lines of their own.

Exit codes: 0 done, 1 the service refused the data, 2 wrong usage or an unreadable file, 3 the
demo could not finish.
`;

type Options = {
  readonly seed: number;
  readonly serve: boolean;
  readonly files: readonly [reference: string, recent: string] | undefined;
  readonly parameters: FileParameters;
};

const zoneOption = { 'time-zone': 'timeZone' } as const;
const fileOptions = { ...csvOptions, ...zoneOption } as const;

/** Reads the arguments. @throws SettingsError, WrongArguments */
const readOptions = (args: readonly string[]): Options => {
  const { values, positionals } = parsedArguments({
    args: [...args],
    options: { seed: { type: 'string' }, serve: { type: 'boolean' }, ...textOptions(fileOptions) },
    allowPositionals: true,
  });
  const [reference, recent] = positionals;
  if (positionals.length > 2 || (reference !== undefined && recent === undefined))
    throw new SettingsError(
      `got ${plural(positionals.length, 'file')}, expected none or two: reference, recent`,
    );
  if (values.seed !== undefined && reference !== undefined)
    throw new SettingsError('got --seed and files, expected one of them: the seed is for made-up data');
  const written = Object.keys(fileOptions).find(option => Object.hasOwn(values, option));
  if (written !== undefined && reference === undefined)
    throw new SettingsError(`--${written}: got no files, expected two: reference, recent`);
  return {
    parameters: { form: parametersIn(csvOptions, values), creation: parametersIn(zoneOption, values) },
    seed: values.seed === undefined ? 1 : integerOption('--seed', values.seed, 0, 999_999_999),
    serve: values.serve === true,
    files: reference === undefined || recent === undefined ? undefined : [reference, recent],
  };
};

/** Describes the data in one or two sentences. */
const introduction = ({ files, seed }: Options): string =>
  files
    ? `The reference year is in ${plain(basename(files[0]))}, the recent days are in ${plain(basename(files[1]))}.`
    : `Made-up data: visitors of a market hall, counted every ${sampleMinutes} minutes (seed ${seed}). A reference ` +
      `year, then four months with ${plantedCount} unusual days that the service has to find.`;

/** The ways into a service that goes on running. Its token is only shown on a terminal, as by `daybook serve`. */
const serviceIsRunning = (
  { address, dataDir, screenToken }: DemoService,
  sourceId: number,
  { paint }: Style,
  { isTTY, isProduction }: Output,
): string[] => [
  '',
  ...(isTTY
    ? [
        paint.bold('The service is running. Open its screens:'),
        '',
        `  ${signInLinkOf(address, screenToken)}`,
        '',
        'or call its API:',
        '',
        `  TOKEN=${screenToken}`,
      ]
    : [
        `The service is running on ${address}. Get a token for its screens and its API:`,
        '',
        // The demo has not taken the settings of the user, so the command must not take them either.
        `  TOKEN=$(env -i PATH="$PATH" HOME="$HOME" DATA_DIR="${dataDir}" ${screenTokenCommand({ isProduction })})`,
      ]),
  `  curl -H "Authorization: Bearer $TOKEN" ${address}/v1/source/list`,
  `  curl -H "Authorization: Bearer $TOKEN" "${address}/v1/alert/list?sourceId=${sourceId}"`,
  '',
  paint.dim('Ctrl-C stops it and removes its temporary folder.'),
];

/** Exit code and message for an error in the step `doing`. */
const failure = (error: unknown, doing: string, width: number): { code: number; lines: string[] } => {
  if (error instanceof Unreadable) return { code: 2, lines: [error.message] };
  if (error instanceof ProblemError && error.status > 0)
    return {
      code: error.status < 500 ? 1 : 3,
      lines: [
        `${doing}: refused (${error.status}): ${plain(error.message)}`,
        ...faultsReport(error.errors, width),
      ],
    };
  if (error instanceof UnfinishedError || error instanceof SettingsError)
    return { code: 3, lines: [`${doing}: ${plain(error.message)}`] };
  // Errors of fetch have their reason in the cause. For unexpected errors the stack is shown.
  const { cause, stack, message } = error instanceof Error ? error : new Error(String(error));
  return {
    code: 3,
    lines: [`${doing}: ${cause instanceof Error ? `${message}: ${cause.message}` : (stack ?? message)}`],
  };
};

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts at a signal, when the reader of standard output goes away (`| head`), or after a fault of the service. */
const endOfDemo = () => {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = () => controller.abort();
  for (const name of signals) process.once(name, abort);
  process.stdout.on('error', abort);
  return {
    signal,
    /** The fault of the service; `undefined` when there was none. */
    fault: (): UnfinishedError | undefined =>
      signal.reason instanceof UnfinishedError ? signal.reason : undefined,
    failed: (error: unknown): void =>
      controller.abort(new UnfinishedError(`the service stopped after a fatal error: ${error}`)),
    /** Resolves when aborted. */
    aborted: async (): Promise<void> => {
      if (!signal.aborted)
        await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
    },
    ignoreSignals: (): void => signals.forEach(name => process.off(name, abort)),
    ignoreOutput: (): void => void process.stdout.off('error', abort),
  };
};

const widthMax = 100;
const widthMin = 40;

/** Shows the demo. Resolves to the exit code. */
const showDemo = async (options: Options, env: NodeJS.ProcessEnv): Promise<number> => {
  const { stdout, stderr } = process;
  const width = Math.min(widthMax, Math.max(widthMin, stdout.columns || widthMax));
  const style: Style = { paint: paint(colorsOf(stdout, env)), width };
  const write = (lines: readonly string[]) => void stdout.write(`${lines.join('\n')}\n`);
  const end = endOfDemo();
  const steps = stepRunner(stderr);
  const { files, seed } = options;
  let folder: string | undefined;
  let service: DemoService | undefined;
  try {
    const root = await mkdtemp(join(tmpdir(), 'daybook-demo-'));
    folder = root;
    write([style.paint.bold('Daybook demo'), ...wrap(introduction(options), width).map(style.paint.dim)]);
    // An empty line between text and progress, when both go to one terminal.
    if (stderr.isTTY) stderr.write('\n');
    const given = files && (await userData(files));
    service = await steps.run('starting the service', () => startDemoService(join(root, 'data'), end.failed));
    const data = given ?? (await steps.run('generating the data', () => madeUpData(seed, root)));
    const client = clientOf(service, options.parameters, end.signal);
    const sourceId = await runTour(client, data, { write, style, run: steps.run });
    write(timesReport(steps.timings, style));
    if (options.serve) {
      write(serviceIsRunning(service, sourceId, style, outputOf(stdout, env)));
      await end.aborted();
      const fault = end.fault();
      if (fault) throw fault;
    }
    return 0;
  } catch (error) {
    if (end.signal.aborted && !end.fault()) {
      stderr.write('daybook demo: interrupted\n');
      return 3;
    }
    const { code, lines } = failure(end.fault() ?? error, steps.current(), width);
    stderr.write(`daybook demo: ${lines.join('\n')}\n`);
    return code;
  } finally {
    end.ignoreSignals();
    try {
      await service?.stop();
    } finally {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      end.ignoreOutput();
    }
  }
};

/** `daybook demo`: a first look at the service. */
export const demo: Command = {
  usage,
  run: async (args, env) => showDemo(readOptions(args), env),
};
