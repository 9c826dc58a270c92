import t from 'tap';
import type { ShownIncident } from '../../application/requests/incidents.js';
import { dateOf, dayNumber, weekday } from '../../domain/dates.js';
import { answerChecker, type Document } from '../helpers/documents/apiDescription.js';
import { exactList } from '../helpers/exactList.js';
import { analysed, ordinaryDay, ordinaryDays, startService, type Sent } from '../helpers/service.js';

// Changes that stay, over HTTP: incidents name them.

t.setTimeout(180_000);
const { call } = await startService(t);
const check = answerChecker((await call<Document>('GET', '/openapi.json')).body);
const ask = async <Body>(method: string, path: string, sent: Sent = {}): Promise<Body> => {
  const answer = await call<Body>(method, path, sent);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  const wrong = check(method, path, answer);
  if (wrong.length > 0)
    throw new Error(`${method} ${path} is not as /openapi.json says: ${wrong.join(', ')}`);
  return answer.body;
};

const create = async (name: string, timeZone = 'Europe/Paris'): Promise<number> => {
  const { source } = await ask<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, timeZone, days: ordinaryDays('2023-01-01', 364) },
  });
  await analysed(call, source.id);
  return source.id;
};

type Change = (values: readonly number[]) => readonly number[];

/** The working days from a date on, each changed in the same way. */
const workingDays = (first: string, count: number, change: Change) =>
  Array.from({ length: count }, (_, index) => dateOf(dayNumber(first) + index))
    .filter(date => weekday(dayNumber(date)) < 5)
    .map(date => ({ date, activity: change(ordinaryDay(date).activity) }));

const importDays = (sourceId: number, days: ReturnType<typeof workingDays>) =>
  ask('POST', '/v1/import/days', { json: { sourceId, days } });

const incidentsOf = async (sourceId: number): Promise<readonly ShownIncident[]> =>
  (await ask<{ incidents: ShownIncident[] }>('GET', `/v1/incident/list?sourceId=${sourceId}`)).incidents;

/** Opening an hour later: the first hour is as at night. */
const opensLater: Change = values => values.with(8, 20);
const quarterMore: Change = values => values.map(value => value * 1.25);
const hourLater: Change = values => [values[23]!, ...values.slice(0, 23)];

t.test('from the third like day on the incident says what has changed', async t => {
  const id = await create('Gym');
  await importDays(id, workingDays('2024-03-04', 2, opensLater));
  const [before] = await incidentsOf(id);
  t.equal(before?.change, null);
  await importDays(id, workingDays('2024-03-06', 1, opensLater));
  const [after] = await incidentsOf(id);
  t.equal(after?.id, before?.id);
  t.match(after?.change, {
    type: 'opening',
    size: -60,
    from: '2024-03-04',
    minutes: exactList(480, 540),
    sourceId: id,
    sentence: 'closed 08–09 since 4 Mar 2024',
    sentences: { fr: 'fermé 08–09 depuis le 4 mars 2024' },
  });
  t.match(after?.sentence, /; closed 08–09 since 4 Mar 2024$/);
  t.strictSame(after?.changes, [after?.change]);
});

t.test('a level and a clock are told from each other; a slip of the clock names itself', async t => {
  const pool = await create('Pool');
  await importDays(pool, workingDays('2024-03-04', 4, quarterMore));
  t.match((await incidentsOf(pool))[0]?.change, {
    type: 'level',
    sentence: 'a quarter more since 4 Mar 2024',
    daylightSaving: false,
  });
  const hall = await create('Hall');
  await importDays(hall, workingDays('2024-05-06', 4, hourLater));
  t.match((await incidentsOf(hall))[0]?.change, {
    type: 'clock',
    size: 60,
    daylightSaving: false,
    sentence: 'everything an hour later since 6 May 2024',
  });
  const mall = await create('Mall');
  await importDays(mall, workingDays('2024-04-01', 5, hourLater));
  t.match((await incidentsOf(mall))[0]?.change, {
    type: 'clock',
    daylightSaving: true,
    sentence: /^everything an hour later since \d Apr 2024, as after a change of the clock/,
  });
});
