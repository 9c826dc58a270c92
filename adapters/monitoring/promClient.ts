// All that the service uses of prom-client. The build replaces this module by a bundle.
export { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
export type { OpenMetricsContentType } from 'prom-client';
