import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { analyst, type ThreadedAnalyst } from './analyst.js';
import { calmLog } from './monitoring/calmLog.js';
import { system } from './environment.js';
import { freeSpace } from './sqlite/dataDir.js';
import { fileURLToPath } from 'node:url';
import { metricsListener, promMetrics } from './monitoring/promMetrics.js';
import { otlpTracer } from './monitoring/otlpTracer.js';
import { app } from './http/app.js';
import { firstStart, type FirstCode } from './http/routes/firstStart.js';
import { tokenSigner } from './http/middleware/tokens.js';
import { readScreenFiles } from './http/screens.js';
import { listen, type Listening, starting } from './http/server.js';
import { openStores, openResources } from './composition/openStores.js';
import type { Settings } from './settings/settings.js';
import { startService, type ServiceParts } from './composition/startService.js';
import type { WebhookSender } from '../application/ports/deliveries.js';
import type { ScrubPace } from '../application/reading/scrubber.js';
import type { ReadModels } from '../projections/readModels.js';
import { alertPictures } from './mail/alertPictures.js';
import { isMailUrl, mailFault } from './mail/mailSettings.js';
import { addressFault, webhookSender } from './webhooks/sender.js';
import { nameResolver, type NameResolver } from './network/nameResolver.js';

/** A service that accepts requests. */
export type Running = {
  readonly address: string;
  /** Address of the metrics; absent when `address` serves them. */
  readonly metricsAddress?: string;
  /** Makes the code of a first sign-in; undefined for a service that was used, or by the settings. */
  readonly openFirstStart: () => Promise<FirstCode | undefined>;
  /** Prepares a thread for the first analysis (analyst.ts). */
  readonly practise: () => void;
  readonly stop: () => Promise<void>;
};

const webhooksOf = async (
  { webhookAllowPrivate: allowPrivate, publicUrl, mail }: Settings,
  models: ReadModels,
  names: NameResolver,
  log: Logger,
) => {
  const web = webhookSender({ allowPrivate, names });
  // A start without mails does not load their modules.
  const mailer =
    mail &&
    (await import('./mail/mailSender.js')).mailSender({
      ...mail,
      names,
      picture: alertPictures(models, log),
    });
  const sender: WebhookSender = {
    // Without a mailer the other sender refuses the address.
    send: (message, signal) => (mailer && isMailUrl(message.url) ? mailer : web).send(message, signal),
  };
  return {
    sender,
    addressFault: (url: string) =>
      isMailUrl(url) ? mailFault(url, mail !== undefined) : addressFault(url, allowPrivate),
    publicUrl,
  };
};

/** A pass an hour at most, at a hundredth of a core. */
const usualScrub: ScrubPace = { share: 0.01, everyMs: 3_600_000 };

/** Times that no variable sets. Read models in memory are not compared: no disk can damage them. */
const timesOf = ({
  log,
  scrub = usualScrub,
  outcomeMs,
}: Settings): Pick<ServiceParts, 'scrub' | 'outcomeMs'> => ({
  ...(log.kind !== 'memory' && { scrub }),
  ...(outcomeMs !== undefined && { outcomeMs }),
});

/** Where the build puts the screens, next to the compiled adapters. */
const screensFolder = fileURLToPath(new URL('../web/', import.meta.url));

type StartOptions = {
  /** Called with each finished step of the start, in words. */
  readonly step?: (done: string) => void;
  /** An analyst that the service takes over; threads of its own when absent. */
  readonly given?: ThreadedAnalyst;
};

/**
 * Wires and starts the service; resolves when it accepts requests.
 * @param fault  called when the log cannot be followed any more; the process should end
 * @throws DataDirInUse, StoreUnavailable, or the error of an address that cannot be used
 */
export const start = async (
  settings: Settings,
  logger: Logger,
  fault: (error: unknown) => void,
  { step = () => {}, given }: StartOptions = {},
): Promise<Running> => {
  const log = calmLog(logger);
  const opened = openResources();
  let stopping = false;
  /** Faults during a stop are ignored: locks and log are no longer needed. */
  const faultOf = (error: unknown): void => {
    if (!stopping) fault(error);
  };
  try {
    const stores = await openStores(settings, log, system, faultOf);
    opened.add(stores.close);
    step(`Log opened: ${placeOf(settings.log)}`);
    const server = await listenAtOnce(stores.models, settings);
    opened.add(server.close);
    const pool = given ?? analyst(faultOf);
    opened.add(pool.close);
    const { dataDir, diskFreeMinBytes } = settings;
    const metrics = promMetrics();
    const names = nameResolver(settings.names);
    const tracer = settings.tracing && otlpTracer(settings.tracing, names, log);
    if (tracer) opened.add(tracer.close);
    const started = await startService({
      ...{ stores, analyst: pool },
      ...{ checkpoints: settings.checkpoints, signToken: tokenSigner(settings.tokens) },
      webhooks: await webhooksOf(settings, stores.models, names, log),
      ...(settings.log.kind !== 'memory' && { requireRoom: freeSpace(dataDir, diskFreeMinBytes, system) }),
      ...timesOf(settings),
      metrics,
      ...(tracer && { tracer }),
      ...{ log, fault: faultOf, environment: system, sourcesMax: settings.sourcesMax },
    });
    opened.add(started.stop);
    step('Read models ready');
    const first = firstStart(started.service, settings);
    opened.add(first.end);
    const answer = app(started.service, settings, {
      ...{ first, answers: stores.answers },
      screenFiles: readScreenFiles(screensFolder),
      log,
      names,
      ...(!settings.metrics && { metrics }),
      ...(tracer && { tracer }),
    }).callback();
    const scraped = await listenForMetrics(settings.metrics, metrics, log);
    if (scraped) opened.add(scraped.close);
    server.serve(answer);
    // Requests end before the service that handles them.
    opened.add(server.close);
    opened.add(started.endStreams);
    const stop = async (): Promise<void> => {
      stopping = true;
      await opened.close();
    };
    const addresses = { address: server.address, ...(scraped && { metricsAddress: scraped.address }) };
    return { ...addresses, openFirstStart: first.open, practise: pool.practise, stop };
  } catch (error) {
    await opened.close();
    throw error;
  }
};

/** Listens before the service is ready: requests are refused until `serve` is called. */
const listenAtOnce = async (models: ReadModels, settings: Settings) => {
  let respond = starting(() => models.checkpoint('readModels').position);
  const server = await listen((request, response) => respond(request, response), settings);
  return {
    ...server,
    serve: (answer: (...call: Parameters<RequestListener>) => Promise<void>): void => {
      respond = (request, response) => void answer(request, response);
    },
  };
};

/** Serves the metrics at a separate address, if there is one. */
const listenForMetrics = async (
  address: Settings['metrics'],
  metrics: ReturnType<typeof promMetrics>,
  log: Logger,
): Promise<Listening | undefined> => {
  if (!address) return undefined;
  const failed = (error: unknown) => log.error({ err: error }, 'metrics failed');
  return listen(metricsListener(metrics, failed), address);
};

/** Place of a log in words. */
const placeOf = (log: Settings['log']): string => {
  switch (log.kind) {
    case 'memory':
      return 'in memory';
    case 'sqlite':
      return log.file;
    case 'eventstoredb':
      return 'in EventStoreDB';
  }
};
