import { Counter, Histogram } from 'prom-client';
import { alertKinds, outcomes } from '../../domain/alerts/findings.js';
import { eventVersions, type DomainEvent } from '../../domain/events.js';
import { appendOutcomes, type Metrics } from '../../application/metrics/metrics.js';
import type { MetricsRegistry } from './registry.js';

/** Upper bounds of appends in seconds. */
const appendBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Metrics of appends. Counts come from the events that this instance stored, so instances of one log add up, and a
 * restart counts nothing again. Every value of a label is reported from the start.
 */
export const logMetrics = (registry: MetricsRegistry): Pick<Metrics, 'appended'> => {
  const counter = <Label extends string>(
    name: string,
    help: string,
    label: Label,
    values: readonly string[],
  ) => {
    const counted = new Counter<string>({ name, help, labelNames: [label], registers: [registry] });
    for (const value of values) counted.inc({ [label]: value }, 0);
    return (value: string, by = 1): void => counted.inc({ [label]: value }, by);
  };
  const kinds = ['reference', 'recent'];
  const imports = counter('daybook_imports_total', 'Imports stored.', 'kind', kinds);
  const days = counter('daybook_imported_days_total', 'Days of imports stored.', 'kind', kinds);
  const rows = counter('daybook_imported_rows_total', 'CSV rows of imports stored.', 'kind', kinds);
  const checked = counter('daybook_checked_days_total', 'Days checked, by outcome.', 'outcome', outcomes);
  const raised = counter('daybook_alerts_raised_total', 'Alerts raised, by kind.', 'kind', alertKinds);
  const types = Object.keys(eventVersions);
  const appended = counter('daybook_events_appended_total', 'Events stored, by type.', 'type', types);
  const appends = new Histogram({
    name: 'daybook_append_duration_seconds',
    help: 'Duration of appends to the event store, by outcome.',
    labelNames: ['outcome'],
    buckets: appendBuckets,
    registers: [registry],
  });
  for (const outcome of appendOutcomes) appends.zero({ outcome });

  const count = ({ type, data }: DomainEvent): void => {
    appended(type);
    if (type === 'DaysImported') {
      days(data.kind, data.days.length);
      if (data.part < data.parts) return;
      imports(data.kind);
      rows(data.kind, data.summary?.lines ?? 0);
    } else if (type === 'DaysChecked') for (const { outcome } of data.days) checked(outcome);
    else if (type === 'AlertRaised') raised(data.kind);
  };

  return {
    appended: ({ outcome, seconds, events }) => {
      appends.observe({ outcome }, seconds);
      events.forEach(count);
    },
  };
};
