import { headersOf, tracesUrl, type Collector } from '../tracing/collector.js';
import { hostOf, portOf } from './values.js';
import { SettingsError } from './settingsError.js';

/** Settings of metrics and tracing. */
export type MonitoringSettings = {
  /** Address of the metrics; undefined when the address of the API serves them, to tokens with the scope. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** Where spans are sent; undefined for no tracing. */
  readonly tracing?: Collector;
};

/** The address of the metrics. @throws SettingsError */
export const readMetrics = (env: NodeJS.ProcessEnv): Pick<MonitoringSettings, 'metrics'> => {
  const { METRICS_PORT: port, METRICS_HOST: host } = env;
  if (port !== undefined)
    return { metrics: { host: hostOf('METRICS_HOST', host), port: portOf('METRICS_PORT', port) } };
  if (host !== undefined)
    throw new SettingsError('METRICS_HOST: set without METRICS_PORT; set METRICS_PORT or neither');
  return {};
};

/** The collector of spans. @throws SettingsError without the headers, which may contain a secret */
export const readTracing = (env: NodeJS.ProcessEnv): Pick<MonitoringSettings, 'tracing'> => {
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const serviceName = env['OTEL_SERVICE_NAME'] ?? 'daybook';
  const headers = headersOf(env['OTEL_EXPORTER_OTLP_HEADERS'] ?? '');
  if (endpoint === undefined || endpoint === '') return {};
  const url = tracesUrl(endpoint);
  if (!url)
    throw new SettingsError(
      'OTEL_EXPORTER_OTLP_ENDPOINT: expected an http or https address without password and query',
    );
  // The value may be a secret.
  if (!headers) throw new SettingsError('OTEL_EXPORTER_OTLP_HEADERS: expected name=value,name=value');
  if (serviceName.trim() === '')
    throw new SettingsError('OTEL_SERVICE_NAME: got an empty value, expected a name');
  return { tracing: { url, headers, serviceName } };
};
