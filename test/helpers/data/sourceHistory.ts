import { Database } from '../../../adapters/sqlite/driver.js';
import { alertStates } from '../../../domain/alerts/alertsState.js';
import type { CheckCause } from '../../../domain/alerts/checks.js';
import { type DayKind, type DaysImported } from '../../../domain/days.js';
import type { Calendar } from '../../../domain/planning/calendar.js';
import type { Day } from '../../../domain/day.js';
import type { KnownEvent } from '../../../domain/events.js';
import type { CheckFacts } from '../../../domain/planning/models.js';
import type { SourceEvent } from '../../../domain/source/sourceState.js';
import type { AlertFilter } from '../../../projections/alertPages.js';
import { readModels, type ReadModels } from '../../../projections/readModels.js';
import { dayOf, draft, factsOf, findingOf, id, learnedOf } from './samples.js';
import { handWritten } from './tables.js';

// Sample events, and read models that contain them.

export const through = (events: readonly KnownEvent[]) =>
  events.at(-1) ?? { position: 0n, id: '', stream: '', revision: 0 };

/** End of a batch without known events, at a revision of the catalog. */
export const passedBy = (position: bigint, n: number) => ({
  position,
  id: id(n),
  stream: 'catalog',
  revision: Number(position) - 1,
});
/** Checkpoint after that batch. */
export const reached = (position: bigint, n: number) => {
  const { position: at, ...event } = passedBy(position, n);
  return { position: at, event };
};

/** Read models in memory with these events, and a function that applies more. */
export const holding = (
  events: readonly KnownEvent[],
): { readonly db: Database; readonly models: ReadModels } => {
  const db = new Database(':memory:');
  const models = readModels(db);
  models.apply(events, through(events));
  return { db, models };
};

// A sample history

export const created = (sourceId: number, tenant = 'default'): SourceEvent => ({
  type: 'SourceCreated',
  data: { ...factsOf(sourceId), tenant, requestId: id(100 + sourceId), seed: 7 },
});
export const checks: CheckFacts = { scores: [0.5, 1.25], longestRun: 3, minimum: -2 };
export const {
  models: learnedModels,
  assignments: learnedAssignments,
  checks: _checks,
  ...learnedRest
} = learnedOf(2);
export const reset = (modelsVersion: number, firstId: number): SourceEvent => ({
  type: 'ModelsReset',
  data: {
    ...learnedRest,
    checks,
    requestId: id(101),
    modelsVersion,
    models: learnedModels.map((model, index) => ({ ...model, id: firstId + index })),
    assignments: learnedAssignments.map(({ date, model }) => ({ date, modelId: firstId + model })),
  },
});
export const calendar: Calendar = {
  code: 'FR',
  origin: 'inferred',
  evidence: 'all of them',
  library: 'days 1.0.0',
  holidays: [
    { date: '2023-01-02', name: 'Holiday' },
    { date: '2024-05-09', name: 'Ascension Day' },
  ],
};
/** The same models, learned with a calendar. */
export const resetWith = (modelsVersion: number, firstId: number, calendar: Calendar | null): SourceEvent => {
  const event = reset(modelsVersion, firstId);
  return event.type === 'ModelsReset' ? { ...event, data: { ...event.data, calendar } } : event;
};
export const replaced = (modelsVersion: number, firstId: number): SourceEvent => ({
  type: 'ModelsReplaced',
  data: {
    requestId: id(150),
    modelsVersion,
    models: [{ ...draft('Montag „früh“', 10), id: firstId, days: 1 }],
    assignments: [{ date: '2023-01-02', modelId: firstId }],
  },
});
export const imported = (
  importId: string,
  kind: DayKind,
  of: readonly Day[],
  part = 1,
  parts = 1,
  sourceId = 1,
): DaysImported => ({
  type: 'DaysImported',
  data: {
    sourceId,
    importId,
    kind,
    part,
    parts,
    days: of,
    ...(part === parts ? { summary: { ...summary, days: of.length } } : {}),
  },
});
export const summary = {
  lines: 9,
  days: 0,
  missingSamples: 1,
  filledSamples: 2,
  duplicates: 3,
  warnings: [{ code: 'duplicate', detail: 'line 3 repeats line 2' }],
};

/** Source 1 of the default tenant, with reference days, learned models and a checked import with one alert. */
export const lived = () => {
  const log = handWritten();
  const { add } = log;
  add('catalog', { type: 'SourceIdReserved', data: { sourceId: 1, requestId: id(101) } });
  add('days-1', imported(id(201), 'reference', [dayOf('2023-01-01'), dayOf('2023-01-02')], 1, 2));
  add('days-1', imported(id(201), 'reference', [dayOf('2023-01-03')], 2, 2));
  add('source-1', created(1));
  add('source-1', reset(1, 1), 'reactor');
  const importEvent = add(
    'days-1',
    imported(id(202), 'recent', [dayOf('2024-03-04'), dayOf('2024-03-05', 30)]),
  );
  const cause: CheckCause = { id: importEvent, type: 'DaysImported' };
  add(
    'alerts-1',
    {
      type: 'DaysChecked',
      data: {
        cause,
        part: 1,
        last: true,
        modelsVersion: 1,
        days: [
          {
            date: '2024-03-04',
            importId: id(202),
            dayDigest: 'a',
            plannedModelId: 2,
            outcome: 'normal',
            standing: [],
          },
          {
            date: '2024-03-05',
            importId: id(202),
            dayDigest: 'b',
            plannedModelId: 1,
            outcome: 'abnormal',
            standing: [],
          },
        ],
      },
    },
    'reactor',
    importEvent,
  );
  add('alerts-1', raised('1-20240305-1'), 'reactor', importEvent);
  return { ...log, importEvent };
};
export const alertDate = (alertId: string): string =>
  alertId.replace(/^\d+-(\d{4})(\d\d)(\d\d)-\d+$/, '$1-$2-$3');
export const raised = (alertId: string, criticity = 0.5, severity?: number) =>
  ({
    type: 'AlertRaised',
    data: {
      ...findingOf(1, criticity),
      ...(severity !== undefined && { severity }),
      alertId,
      date: alertDate(alertId),
      importId: id(202),
      dayDigest: 'b',
      modelsVersion: 1,
    },
  }) as const;
/** 24 alerts of three sources: 1 and 2 of the default tenant, 3 of another; two on each of four dates. */
export const manyAlerts = () => {
  const { events, add } = handWritten();
  for (const sourceId of [1, 2, 3])
    add(`source-${sourceId}`, created(sourceId, sourceId === 3 ? 'north' : 'default'));
  for (const date of ['2024-03-07', '2024-03-05', '2024-03-06', '2024-02-29'])
    for (const sourceId of [2, 1, 3])
      for (const n of [1, 2]) {
        const alertId = `${sourceId}-${date.replaceAll('-', '')}-${n}`;
        // Few distinct criticities and severities, so that pages end between alerts with equal ones.
        const severity = n === 1 && date > '2024-03-05' ? sourceId / 4 : undefined;
        add(`alerts-${sourceId}`, raised(alertId, ((sourceId + n) % 3) / 4, severity));
        if (n === 1)
          add(`alerts-${sourceId}`, {
            type: 'AlertResolved',
            data: { alertId, date, verdict: 'expected', comment: null },
          });
      }
  return holding(events);
};
export const everything: AlertFilter = {
  tenant: 'default',
  sourceId: undefined,
  from: undefined,
  to: undefined,
  states: alertStates,
  kinds: undefined,
  sort: 'date',
  descending: false,
  after: undefined,
  limit: 100,
};
