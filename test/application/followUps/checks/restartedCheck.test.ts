import t from 'tap';
import { Database } from '../../../../adapters/sqlite/driver.js';
import { daysPerCheck } from '../../../../application/followUps/checks/checkPart.js';
import { checkDecider } from '../../../../application/followUps/checks/decideCheck.js';
import { runStepsAtOnce } from '../../../../application/ports/sharing/turns.js';
import type { CauseEvent } from '../../../../domain/followUps.js';
import { dateOf, dayNumber } from '../../../../domain/dates.js';
import { decode, type EventOf, type KnownEvent } from '../../../../domain/events.js';
import { readModels } from '../../../../projections/readModels.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService } from '../../../helpers/service.js';

// A process dies between two parts of a check; the next process knows the recorded parts from its read models only.

const first = '2024-03-01';
const dayAt = (index: number) => ordinaryDay(dateOf(dayNumber(first) + index));

/** Events of a source. The second part of a check begins with a date without data, while its limits are widened. */
const history = async (): Promise<readonly KnownEvent[]> => {
  const { call, events, stop } = await startService(t, { EVENT_STORE: 'sqlite' });
  const json = { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 120) };
  const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
  const sourceId = body.source.id;
  await analysed(call, sourceId);
  const days = Array.from({ length: daysPerCheck + 12 }, (_, index) => dayAt(index))
    .filter((_, index) => ![daysPerCheck, daysPerCheck + 5].includes(index))
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

const events = await history();
const parts = events.filter((event): event is EventOf<'DaysChecked'> => event.type === 'DaysChecked');
const recorded = parts.at(-1) as EventOf<'DaysChecked'>;
const before = events.slice(0, events.indexOf(recorded));
const latest = before.at(-1) as KnownEvent;
const cause = before.find(({ id }) => id === recorded.data.cause.id) as CauseEvent;

/** Read models of a process that starts between the two parts, and the second part of the check. */
const restarted = () => {
  const models = readModels(new Database(':memory:'));
  models.apply(before, latest);
  const decider = checkDecider(models);
  const part = { part: 2, last: true, dates: decider.awaitedDates(cause), earlier: new Map() };
  return { models, decider, part };
};

t.test('a restarted check that begins with a date without data keeps the adaptive factor', async t => {
  const [missing] = recorded.data.days;
  t.match(missing, { date: dayAt(daysPerCheck).date, missing: true, outcome: 'gap' });
  t.ok((missing?.adaptation?.units ?? 0) > 0, 'the limits are widened');

  const { decider, part } = restarted();
  const command = runStepsAtOnce(decider.checkSteps(cause, part));
  t.strictSame(command?.days.map(judged), recorded.data.days.map(judged), 'as without the interruption');

  const older = runStepsAtOnce(decider.checkSteps(cause, part, 'daybook-calendar/5'));
  t.equal(older?.days[0]?.adaptation?.units, 0, 'checks of older engines are repeated as they were');
});

t.test('a plan that changes between the steps of a check belongs to a later check', async t => {
  const { models, decider, part } = restarted();
  const dates = [1, 5].map(index => recorded.data.days[index]?.date ?? '');
  t.equal(recorded.data.days[5]?.missing, true);
  const steps = decider.checkSteps(cause, part);
  steps.next();
  const { sourceId } = cause.data as { readonly sourceId: number };
  for (const [index, date] of dates.entries()) {
    const planned = {
      ...latest,
      type: 'DayPlanned',
      v: 1,
      stream: `source-${sourceId}`,
      revision: 1000 + index,
      position: latest.position + BigInt(1 + index),
      id: `planned-${index}`,
      data: { requestId: `planned-${index}`, date, modelId: 2 },
    } as unknown as KnownEvent;
    models.apply([planned], planned);
  }
  t.strictSame(
    dates.map(date => models.planning.day(sourceId, date).modelId),
    [2, 2],
    'the plan has changed',
  );
  let step = steps.next();
  while (!step.done) step = steps.next();
  t.strictSame(
    step.value?.days.map(({ plannedModelId }) => plannedModelId),
    recorded.data.days.map(({ plannedModelId }) => plannedModelId),
    'days with and without data have the plan of the first step',
  );
});
