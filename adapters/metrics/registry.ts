import { collectDefaultMetrics, Registry, type OpenMetricsContentType } from 'prom-client';

/** Metrics that are written as OpenMetrics. */
export type MetricsRegistry = Registry<OpenMetricsContentType>;

export const newRegistry = (): MetricsRegistry => {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  return registry;
};

/** A registry as most functions of prom-client declare it: with its other text format. */
export const promRegistry = (registry: MetricsRegistry): Registry => registry as unknown as Registry;

let sharedRegistry: MetricsRegistry | undefined;

/** Metrics of this process: processor, memory, event loop, garbage collection. Its services share them. */
export const processRegistry = (): MetricsRegistry => {
  if (!sharedRegistry) {
    sharedRegistry = newRegistry();
    collectDefaultMetrics({ register: promRegistry(sharedRegistry) });
  }
  return sharedRegistry;
};
