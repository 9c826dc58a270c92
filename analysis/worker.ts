import { parentPort, workerData } from 'node:worker_threads';
import { dateOf } from '../domain/dates.js';
import type { Day } from '../domain/day.js';
import type { NamedDay } from '../domain/planning/calendar.js';
import type { ModelDraft, TypicalDays } from '../domain/planning/models.js';
import type { CovariateSeries } from '../domain/source/covariates.js';
import { calendarOf } from './calendar/holidays.js';
import { inferCalendar } from './calendar/inferCalendar.js';
import { type CheckStop, neverStops } from './checkStop.js';
import { assignDays } from './checking/assignDays.js';
import { typicalDays } from './learning/typicalDays.js';
import { seededRandom } from './math/seededRandom.js';
import { trySetting, type Asked, type TriedSetting, type TuneData } from './tuning/trySetting.js';

const seed = 1;
/** Monday 6 October 2025: there are a bridge, Christmas and holidays in the 120 days from it. */
const firstDay = 20_367;
const days = 120;

/** Slices of a day. Code that has seen two numbers is not compiled again for a third one. */
const slicesOfPractice = [24, 96] as const;

/** Made-up days with a rhythm of the day and of the week. */
const practiceDays = (slices: number): Day[] => {
  const random = seededRandom(seed);
  return Array.from({ length: days }, (_, index) => {
    const level = (index % 7 < 5 ? 10 : 4) * (0.9 + 0.2 * random());
    return {
      date: dateOf(firstDay + index),
      activity: Array.from({ length: slices }, (_, slice) =>
        (24 * slice) / slices < 7 ? 1 + random() : level * (0.9 + 0.2 * random()),
      ),
      gaps: [],
      filled: [],
    };
  });
};

/**
 * Learns from made-up days, so that modules, holidays and compiled code are there before the first analysis of a
 * process.
 * @throws any error of `checkStop`
 */
const practise = (checkStop: CheckStop): void => {
  const calendar = calendarOf('FR', 2025);
  for (const slices of slicesOfPractice) {
    checkStop();
    const made = practiceDays(slices);
    inferCalendar(made, 2025, checkStop);
    typicalDays(made, { modelCount: null, coverage: null, calendar, seed }, checkStop);
  }
};

/** A job for a worker thread: plain data, since structured cloning transfers it. */
export type AnalysisJob =
  | {
      readonly kind: 'typicalDays';
      readonly days: readonly Day[];
      readonly modelCount: number | null;
      readonly coverage: number | null;
      /** The calendar that a client gave; null to infer it from the days. */
      readonly calendarCode: string | null;
      readonly referenceYear: number;
      readonly specials: readonly NamedDay[];
      /** Values of sources that explain this one; absent means none. */
      readonly covariates?: readonly CovariateSeries[];
      readonly seed: number;
      /** Engine whose rules are used; absent for the present one. */
      readonly engine?: string;
    }
  | {
      readonly kind: 'nearestModels';
      readonly days: readonly Day[];
      readonly models: readonly Pick<ModelDraft, 'anomaly' | 'activity'>[];
    }
  | { readonly kind: 'trySetting'; readonly data: TuneData; readonly asked: Asked }
  /** Learns from made-up days. */
  | { readonly kind: 'practice' };

/** The result of each kind of job. */
export type AnalysisResults = {
  readonly typicalDays: TypicalDays;
  readonly nearestModels: TypicalDays['assignments'];
  readonly trySetting: TriedSetting;
  readonly practice: null;
};
export type AnalysisResult = AnalysisResults[AnalysisJob['kind']];

/** The `workerData` of a thread: a shared flag, 1 when its modules are loaded. */
export type ThreadData = { readonly loaded: Int32Array };
/** A job for a thread, with a shared flag: 1 stops the job. `null` ends the thread. */
export type Order = { readonly job: AnalysisJob; readonly stop: Int32Array } | null;
/** Messages of a thread: `ready` first, then the result or error of each job. */
export type ThreadMessage = 'ready' | { readonly result: AnalysisResult } | { readonly error: unknown };

/**
 * Runs one job.
 * @throws RangeError when the days cannot be analysed; any error of `checkStop`
 */
export const runJob = (job: AnalysisJob, checkStop: CheckStop = neverStops): AnalysisResult => {
  switch (job.kind) {
    case 'typicalDays': {
      const { days, modelCount, coverage, calendarCode, referenceYear, specials, seed, engine, covariates } =
        job;
      const calendar =
        calendarCode === null
          ? inferCalendar(days, referenceYear, checkStop)
          : calendarOf(calendarCode, referenceYear);
      const setting = {
        modelCount,
        coverage,
        calendar,
        specials,
        seed,
        ...(covariates && { covariates }),
        ...(engine && { engine }),
      };
      return typicalDays(days, setting, checkStop);
    }
    case 'nearestModels':
      return assignDays(job.days, job.models);
    case 'trySetting':
      return trySetting(job.data, job.asked, checkStop);
    case 'practice':
      practise(checkStop);
      return null;
  }
};

// In a worker thread: runs the jobs that it receives, one after the other.
if (parentPort) {
  const port = parentPort;
  const report = (message: ThreadMessage): void => port.postMessage(message);
  port.on('message', (order: Order) => {
    if (!order) return port.close();
    try {
      const checkStop = (): void => {
        if (Atomics.load(order.stop, 0) === 1) throw new Error('the analysis was stopped');
      };
      report({ result: runJob(order.job, checkStop) });
    } catch (error) {
      report({ error });
    }
  });
  const { loaded } = workerData as ThreadData;
  Atomics.store(loaded, 0, 1);
  Atomics.notify(loaded, 0);
  report('ready');
}
