import t from 'tap';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { decidedBy, exported, forged, rememberingAnalyst } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { ordinaryDays } from '../../helpers/service.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';

// A source that is learned again while a date is in progress.

const pool = sharedAnalyst();

type Created = {
  readonly source: { readonly id: number };
  readonly import: { readonly notes: readonly string[] };
};
type Day = { readonly day: { readonly kind: string; readonly activity: readonly number[] } | null };

t.test('a date in progress is no reference day, and its points are not lost', async t => {
  const clock = drivenClock('2024-03-01T09:00:00.000Z');
  const { ask, send, create, importDays, events } = await serviceBy(t, clock, pool);
  const old = await create('Gate');
  const dates = ordinaryDays('2023-03-01', 366).map(({ date }) => date);
  await importDays(old, ...dates);
  const points = (hours: readonly number[]) =>
    hours.map(hour => ({ at: `2024-03-01T0${hour}:10:00Z`, value: 30 + hour }));
  await ask('POST', '/v1/import/points', { sourceId: old, points: points([0, 1, 2, 3, 4, 5, 6, 7]) });
  t.match(await ask('GET', `/v1/day/${old}/2024-03-01`), { day: { kind: 'recent', inProgress: true } });
  t.match(await ask('GET', `/v1/source/${old}`), { relearnProposed: { possible: true } });

  const { status, body } = await send<Created>('POST', `/v1/source/${old}/relearn`);
  t.match(
    { status, body },
    {
      status: 201,
      body: { source: { reference: { from: '2023-03-02', to: '2024-02-29', days: 365, completeDays: 365 } } },
    },
  );
  t.match(
    body.import.notes,
    exactList(
      `recent days of source ${old}, 2023-03-02 to 2024-02-29: 365, 365 of them complete`,
      'days from 2024-03-01 on are no reference days, because 2024-03-01 is in progress; ' +
        `their values stay in source ${old}: send them to the new source again`,
    ),
  );
  const { id } = body.source;
  t.strictSame((await ask<Day>('GET', `/v1/day/${id}/2024-03-01`)).day, null);
  await ask('POST', '/v1/import/points', { sourceId: id, points: points([0, 1, 2, 3, 4, 5, 6, 7, 8]) });
  const { day } = await ask<Day>('GET', `/v1/day/${id}/2024-03-01`);
  t.strictSame(
    day?.activity.slice(0, 8),
    [30, 31, 32, 33, 34, 35, 36, 37],
    'the day goes on with its morning',
  );
  t.equal(day?.kind, 'recent');

  await ask('POST', `/v1/source/${old}/restore?allowDuplicate=true`);
  t.strictSame(
    (await ask<Day>('GET', `/v1/day/${old}/2024-03-01`)).day?.activity.slice(0, 8),
    [30, 31, 32, 33, 34, 35, 36, 37],
    'the old source keeps the points',
  );

  const analyses = rememberingAnalyst();
  t.teardown(() => analyses.close());
  const log = exported(await events());
  t.strictSame((await decidedBy(analyses, log)).findings, []);
  const lies = forged(
    forged(
      log,
      ({ type, data }) => type === 'SourceCreated' && 'countedTo' in (data as object),
      data => ({ ...data, countedTo: '2024-02-28' }),
    ),
    ({ type }) => type === 'SourceRelearned',
    data => ({ ...data, created: { ...(data['created'] as object), countedTo: '2024-02-28' } }),
  );
  t.not((await decidedBy(analyses, lies)).findings.length, 0, 'another last date is found');
});
