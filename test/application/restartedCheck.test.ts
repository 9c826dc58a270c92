import t from 'tap';
import { Database } from '../../adapters/sqlite/driver.js';
import { daysPerCheck } from '../../application/checks/checkPart.js';
import { checkDecider } from '../../application/checks/decideCheck.js';
import { runStepsAtOnce } from '../../application/sharing/eventLoopYielder.js';
import type { CauseEvent } from '../../domain/alerts/causes.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { decode, type EventOf, type KnownEvent } from '../../domain/events.js';
import { readModels } from '../../projections/readModels.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService } from '../helpers/service.js';

// A process dies between two parts of a check; the next process knows the recorded parts from its read models only.

const first = '2024-03-01';
const dayAt = (index: number) => ordinaryDay(dateOf(dayNumber(first) + index));

/** Events of a source whose second part of a check begins with a date without data, while its limits are widened. */
const history = async (): Promise<readonly KnownEvent[]> => {
  const { call, events, stop } = await startService(t, { EVENT_STORE: 'sqlite' });
  const json = { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 120) };
  const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
  const sourceId = body.source.id;
  await analysed(call, sourceId);
  const days = Array.from({ length: daysPerCheck + 12 }, (_, index) => dayAt(index))
    .filter((_, index) => index !== daysPerCheck)
    .map(({ date, activity }, index) => ({
      date,
      activity: index % 9 === 4 ? activity.map(value => 3 * value) : activity,
    }));
  await call('POST', '/v1/import/days', { json: { sourceId, days } });
  await idle(call);
  const all = events().flatMap(event => decode(event) ?? []);
  await stop();
  return all;
};

const judged = ({
  date,
  outcome,
  adaptation,
}: Pick<EventOf<'DaysChecked'>['data']['days'][number], 'date' | 'outcome' | 'adaptation'>) => ({
  date,
  outcome,
  adaptation,
});

t.test('a restarted check that begins with a date without data keeps the adaptive factor', async t => {
  const events = await history();
  const parts = events.filter((event): event is EventOf<'DaysChecked'> => event.type === 'DaysChecked');
  const recorded = parts.at(-1) as EventOf<'DaysChecked'>;
  const [missing] = recorded.data.days;
  t.match(missing, { date: dayAt(daysPerCheck).date, missing: true, outcome: 'gap' });
  t.ok((missing?.adaptation?.units ?? 0) > 0, 'the limits are widened');

  const models = readModels(new Database(':memory:'));
  const before = events.slice(0, events.indexOf(recorded));
  models.apply(before, before.at(-1) as KnownEvent);
  const cause = before.find(({ id }) => id === recorded.data.cause.id) as CauseEvent;
  const decider = checkDecider(models);
  const dates = decider.awaitedDates(cause);
  const part = { part: 2, last: true, dates, earlier: new Map() };
  const command = runStepsAtOnce(decider.checkSteps(cause, part));
  t.strictSame(command?.days.map(judged), recorded.data.days.map(judged), 'as without the interruption');

  const older = runStepsAtOnce(decider.checkSteps(cause, part, 'daybook-calendar/5'));
  t.equal(older?.days[0]?.adaptation?.units, 0, 'checks of older engines are repeated as they were');
});
