// A client of the Daybook API in one file: copy it into your project. It needs `fetch` alone (Node 20, Deno, Bun).
// The types name the fields that it uses; GET /openapi.json has all of them.
//
// Run here: DAYBOOK_URL=http://127.0.0.1:8080 DAYBOOK_TOKEN=$(npx daybook token) node build/examples/client.js
import { pathToFileURL } from 'node:url';

export type Day = { readonly date: string; readonly activity: readonly number[] };

export type Source = {
  readonly id: number;
  readonly name: string;
  readonly analysis: { readonly status: 'pending' | 'running' | 'completed' | 'failed' };
};

export type Model = { readonly id: number; readonly name: string; readonly activity: readonly number[] };

export type Alert = {
  readonly id: string;
  readonly date: string;
  readonly kind: 'activity' | 'gap' | 'frozen' | 'drift';
  readonly state: 'open' | 'acknowledged' | 'resolved' | 'invalidated';
  readonly criticity: number;
};

export type Verdict = 'anomaly' | 'expected' | 'notAnomaly' | 'newPattern';

export type Imported = {
  readonly import: { readonly id: string };
  readonly days: readonly { readonly date: string; readonly status: string }[];
  readonly alerts: { readonly raised: readonly Alert[] };
};

/** An answer of the API that is an error (RFC 9457); `errors` names each place that is wrong. */
export class DaybookError extends Error {
  readonly name = 'DaybookError';
  readonly status: number;
  readonly code: string;
  readonly errors: readonly { readonly code: string; readonly detail: string }[];

  constructor(status: number, problem: { code?: string; detail?: string; errors?: DaybookError['errors'] }) {
    super(`${status} ${problem.code ?? 'unknown'}: ${problem.detail ?? 'no detail'}`);
    this.status = status;
    this.code = problem.code ?? 'unknown';
    this.errors = problem.errors ?? [];
  }
}

const triesMax = 5;

const pause = (seconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, 1000 * seconds));

/**
 * A client of one service.
 * @param url   address of the service, without a path
 * @param token a JWT; its scopes decide what the client may do
 */
export const daybook = (url: string, token: string) => {
  const once = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    fetch(new URL(path, url), {
      method,
      headers: { Authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });

  /** Sends a request, again after 503. A POST has a key, so that a repeat takes effect once. */
  const call = async <Answer>(
    method: string,
    path: string,
    type?: string,
    body?: string,
  ): Promise<Answer> => {
    const headers: Record<string, string> = {
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...(method === 'POST' ? { 'Idempotency-Key': crypto.randomUUID() } : {}),
    };
    for (let tries = 1; ; tries += 1) {
      const answer = await once(method, path, headers, body);
      if (answer.ok) return (await answer.json()) as Answer;
      if (answer.status !== 503 || tries === triesMax)
        throw new DaybookError(answer.status, (await answer.json()) as object);
      await pause(Number(answer.headers.get('Retry-After') ?? 1));
    }
  };
  const json = <Answer>(method: string, path: string, body: unknown) =>
    call<Answer>(method, path, 'application/json', JSON.stringify(body));

  return {
    createSource: (name: string, referenceYear: number, days: readonly Day[]) =>
      // Names are unique by default; this program may run again on the same service.
      json<{ source: Source }>('POST', '/v1/import/create-source?allowDuplicate=true', {
        name,
        referenceYear,
        days,
      }),
    createSourceFromCsv: (name: string, csv: string) =>
      call<{ source: Source }>(
        'POST',
        `/v1/import-csv/create-source?${new URLSearchParams({ name })}`,
        'text/csv',
        csv,
      ),
    /** Imports days and waits until each is checked: the answer itself waits ten seconds at most. */
    importDays: async (sourceId: number, days: readonly Day[]): Promise<Imported> => {
      let imported = await json<Imported>('POST', '/v1/import/days', { sourceId, days });
      while (imported.days.some(({ status }) => status === 'pending')) {
        await pause(1);
        imported = await call<Imported>('GET', `/v1/import/${imported.import.id}`);
      }
      return imported;
    },
    source: (sourceId: number) => call<Source>('GET', `/v1/source/${sourceId}`),
    models: async (sourceId: number) =>
      (await call<{ models: readonly Model[] }>('GET', `/v1/model/list/${sourceId}`)).models,
    plan: (sourceId: number, date: string, modelId: number) =>
      json<{ readonly date: string; readonly origin: string }>('PUT', `/v1/planning/${sourceId}/${date}`, {
        modelId,
      }),
    resolve: (alertId: string, verdict: Verdict, comment?: string) =>
      json<Alert>('POST', `/v1/alert/${alertId}/resolve`, {
        verdict,
        ...(comment === undefined ? {} : { comment }),
      }),
    /** All unprocessed alerts of a source, page by page. */
    unprocessedAlerts: async function* (sourceId: number): AsyncGenerator<Alert> {
      const query = new URLSearchParams({ sourceId: String(sourceId), state: 'unprocessed' });
      for (;;) {
        const page = await call<{ alerts: readonly Alert[]; nextCursor?: string }>(
          'GET',
          `/v1/alert/list?${query}`,
        );
        yield* page.alerts;
        if (page.nextCursor === undefined) return;
        query.set('cursor', page.nextCursor);
      }
    },
  };
};

/** A year of hourly values of a place that opens on working days from 8 to 20 o'clock. */
const madeYear = (): Day[] =>
  Array.from({ length: 365 }, (_, day) => {
    const at = new Date(Date.UTC(2023, 0, 1 + day));
    const works = at.getUTCDay() % 6 !== 0;
    const activity = Array.from({ length: 24 }, (_, hour) =>
      works && hour > 7 && hour < 20 ? 80 + (((day * 24 + hour) * 7919) % 40) : 5 + (hour % 3),
    );
    return { date: at.toISOString().slice(0, 10), activity };
  });

/** Steps of this file: a source, a checked day, its alert, a verdict. */
const main = async (): Promise<void> => {
  const { DAYBOOK_URL: address, DAYBOOK_TOKEN: token } = process.env;
  if (address === undefined || token === undefined)
    throw new Error('set DAYBOOK_URL and DAYBOOK_TOKEN: see examples/README.md');
  const client = daybook(address, token);

  const { source } = await client.createSource('Library', 2023, madeYear());
  const closed = Array.from({ length: 24 }, (_, hour) => 5 + (hour % 3));
  const { days } = await client.importDays(source.id, [{ date: '2024-01-10', activity: closed }]);
  for (const { date, status } of days) console.log(`${date} is ${status}`);
  for (const { id, name } of await client.models(source.id)) console.log(`model ${id}: ${name}`);
  for await (const { id, date, kind, criticity } of client.unprocessedAlerts(source.id)) {
    console.log(`alert ${id} of ${date}: ${kind}, criticity ${criticity.toFixed(2)}`);
    console.log(`alert ${id} is ${(await client.resolve(id, 'expected', 'Closed for works')).state}`);
  }
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
