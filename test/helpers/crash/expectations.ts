import { alertStates } from '../../../domain/alerts/alertsState.js';
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { differences, dumpOf, isUnprocessed, withDatabase, type SourceView } from './ledger.js';
import { requestFaults, type TrackedRequest, type Day } from './requests.js';
import type { World } from './world.js';

/** Acknowledged requests are in the log, refused ones are not, unknown ones are complete or absent; in real-time order. */
export const expectRequests = ({ all, ledger, note }: Pick<World, 'all' | 'ledger' | 'note'>): void => {
  ledger.readOn();
  for (const asked of all) {
    const events = ledger.eventsOf(asked.n);
    const isGone = (id: number): boolean => ledger.sources.get(id)?.archived === true;
    for (const fault of requestFaults(asked, events, isGone)) note(fault);
    const repeatable = asked.state === 'unknown' && asked.key !== undefined;
    if (asked.state !== 'sent' && !repeatable) asked.frozen ??= events.length;
  }
  const placed = all.flatMap(asked => {
    const [first, last] = [ledger.eventsOf(asked.n)[0], ledger.eventsOf(asked.n).at(-1)];
    return first && last ? [{ asked, first: Number(first.position), last: Number(last.position) }] : [];
  });
  let latest: TrackedRequest | undefined;
  for (const { asked } of placed.sort((a, b) => a.last - b.last)) {
    if (latest && asked.answeredAt < latest.sentAt)
      note(`request ${asked.n} was answered before ${latest.n} was sent, but is after it in the log`);
    if (!latest || asked.sentAt > latest.sentAt) latest = asked;
  }
};

/** All requested analyses and checks end. */
export const expectQuiet = ({ ledger, until }: World): Promise<boolean> =>
  until('the end of all analyses and checks', () => {
    ledger.readOn();
    return ledger.undone().length === 0;
  });

export type SourceAnswer = {
  readonly id: number;
  readonly analysis: { readonly status: string };
  readonly modelsVersion: number;
  readonly counts: Readonly<Record<'referenceDays' | 'recentDays' | 'models' | 'unprocessedAlerts', number>>;
};
export type DayAnswer = Day & {
  readonly kind: string;
  readonly importId: string;
  readonly filled: readonly unknown[];
  readonly check: { readonly outcome: string; readonly modelsVersion: number } | null;
};

/** The answers of the service agree with the log, for every source. Call it when all work has ended. */
export const expectAnswers = async (place: World): Promise<void> => {
  const { ledger, get, until } = place;
  // The read models catch up with the log within the time of a read.
  let position = -1;
  await until('read models of all events', () => {
    void get<{ readonly readModels: { readonly position: string } }>('/health').then(health => {
      position = Number(health?.readModels.position);
    });
    return position >= ledger.position();
  });
  await expectSources(place);
};

/** Sources and their contents agree with the log. */
export const expectSources = async ({
  ledger,
  get,
  note,
  looksAt = () => true,
}: Pick<World, 'ledger' | 'get' | 'note'> & {
  readonly looksAt?: (sourceId: number) => boolean;
}): Promise<void> => {
  const { sources = [] } = (await get<{ sources: SourceAnswer[] }>('/v1/source/list')) ?? {};
  const created = [...ledger.sources.values()].filter(({ created, archived }) => created && !archived);
  if (
    sources.map(({ id }) => id).join() !==
    created
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join()
  )
    note(`the sources are ${sources.map(({ id }) => id).join()}`);
  for (const answer of sources) {
    const source = ledger.sources.get(answer.id);
    if (source && looksAt(source.id))
      for (const fault of await sourceFaults(source, answer, get)) note(`source ${source.id}: ${fault}`);
  }
};

export const sourceFaults = async (
  source: SourceView,
  answer: SourceAnswer,
  get: World['get'],
): Promise<string[]> => {
  const faults: string[] = [];
  const demand = (isTrue: boolean, fault: string): void => {
    if (!isTrue) faults.push(fault);
  };
  const alerts: { id: string; date: string; state: string }[] = [];
  for (let cursor = ''; ;) {
    type Page = { readonly alerts: typeof alerts; readonly nextCursor?: string };
    const page = await get<Page>(
      `/v1/alert/list?sourceId=${source.id}&state=${alertStates.join(',')}&limit=500${cursor && `&cursor=${cursor}`}`,
    );
    alerts.push(...(page?.alerts ?? []));
    if (page?.nextCursor === undefined) break;
    cursor = page.nextCursor;
  }
  const stateOf = (list: Iterable<readonly [string, { readonly state: string }]>) =>
    [...list].map(([id, { state }]) => `${id} ${state}`).sort();
  demand(
    isDeepStrictEqual(stateOf(source.alerts), stateOf(alerts.map(alert => [alert.id, alert]))),
    'alerts differ from the log',
  );

  const { models = [] } = (await get<{ models: SourceView['models'] }>(`/v1/model/list/${source.id}`)) ?? {};
  demand(
    isDeepStrictEqual(
      models.map(({ id, name }) => `${id} ${name}`),
      source.models.map(({ id, name }) => `${id} ${name}`),
    ),
    'models differ from the log',
  );
  const dates = [source.reference, source.days, source.overrides].flatMap(map => [...map.keys()]);
  const years = new Set(dates.map(date => date.slice(0, 4)));
  const days: DayAnswer[] = [];
  const manual: string[] = [];
  for (const year of years) {
    days.push(...((await get<{ days: DayAnswer[] }>(`/v1/day/list/${source.id}/${year}`))?.days ?? []));
    type Plans = {
      readonly days: { readonly date: string; readonly modelId: number; readonly origin: string }[];
    };
    for (const plan of (await get<Plans>(`/v1/planning/list/${source.id}/${year}`))?.days ?? [])
      if (plan.origin === 'manual') manual.push(`${plan.date} ${plan.modelId}`);
  }
  demand(
    manual.sort().join() ===
      [...source.overrides]
        .map(([date, id]) => `${date} ${id}`)
        .sort()
        .join(),
    'plans made by hand differ from the log',
  );
  const { counts } = answer;
  const unprocessed = [...source.alerts.values()].filter(isUnprocessed);
  demand(answer.analysis.status === 'completed', `the analysis is ${answer.analysis.status}`);
  demand(answer.modelsVersion === source.modelsVersion, 'the version of the models differs from the log');
  demand(
    isDeepStrictEqual(counts, {
      referenceDays: source.reference.size,
      recentDays: source.days.size,
      models: source.models.length,
      unprocessedAlerts: unprocessed.length,
    }),
    `the counts are ${JSON.stringify(counts)}`,
  );
  // A recent day is listed in place of the reference day of its date.
  const listed = new Set([...source.reference.keys(), ...source.days.keys()]).size;
  demand(days.length === listed, `${days.length} days, expected ${listed}`);
  demand(
    new Set(unprocessed.map(({ date }) => date)).size === unprocessed.length,
    'two unprocessed alerts on a date',
  );
  for (const { date, activity, gaps, filled, kind, importId, check } of days) {
    const expected = (kind === 'reference' ? source.reference : source.days).get(date);
    const there = { importId, day: { date, activity, gaps } };
    demand(
      isDeepStrictEqual(there, expected),
      `${date} is ${JSON.stringify(there)} not ${JSON.stringify(expected)}`,
    );
    if (kind === 'reference') continue;
    demand(check?.modelsVersion === source.modelsVersion, `${date} was checked as ${JSON.stringify(check)}`);
    if (check?.outcome !== 'abnormal' && check?.outcome !== 'gap') continue;
    const digest = createHash('sha256')
      .update(JSON.stringify([activity, gaps, filled]))
      .digest('hex')
      .slice(0, 32);
    const hasAlert = [...source.alerts.values()].some(
      alert =>
        alert.date === date &&
        (isUnprocessed(alert) ||
          (alert.state === 'resolved' && (alert.digest === digest || source.grown.has(date)))),
    );
    demand(hasAlert, `${date} is ${check.outcome}, but has no alert`);
  }
  return faults.slice(0, 5);
};

/** The file passes the integrity check of SQLite, and revisions have no gaps. */
export const expectSoundFile = ({ note }: World, logFile: string): void =>
  withDatabase(logFile, db => {
    const verdict = db.pragma('integrity_check', { simple: true });
    if (verdict !== 'ok') note(`integrity_check: ${String(verdict)}`);
    const holes = db
      .prepare(
        'select stream from events group by stream having count(*) != max(revision) + 1 or min(revision) != 0',
      )
      .all();
    if (holes.length > 0) note(`gaps in the revisions of ${JSON.stringify(holes)}`);
    const same = db.prepare('select count(*) - count(distinct id) from events').pluck().get();
    if (same !== 0) note(`${String(same)} duplicate ids`);
  });

/** Stops idle instances; a rebuild must give the same read models. */
export const expectRebuilt = async (place: World): Promise<void> => {
  await expectQuiet(place);
  await expectAnswers(place);
  for (const index of place.readFiles.keys()) await place.end('SIGTERM', index);
  const dumps = place.readFiles.map(dumpOf);
  await place.rebuild();
  const rebuilt = dumpOf(place.readFiles[0] ?? '');
  for (const [index, before] of dumps.entries())
    for (const difference of differences(before, rebuilt))
      place.note(`instance ${index} differs after a rebuild: ${difference}`);
};

/** Expects that all work which the log asks for is done: the process manager of a rebuild begins after what is done. */
export const expectSeenAgain = async ({ ledger, readFiles: [file = ''], until }: World): Promise<boolean> =>
  until('no work left in the log', () => {
    const { at, due } = withDatabase(file, db => ({
      at: db.prepare(`select position from checkpoints where name = 'readModels'`).pluck().get(),
      due: db.prepare(`select count(*) from follow_ups where due is not null`).pluck().get(),
    }));
    return Number(at ?? 0) >= ledger.lastDue() && due === 0;
  });
