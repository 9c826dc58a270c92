import { pino } from 'pino';
import t from 'tap';
import type { CommandHandler } from '../../../../application/commands/commandHandler.js';
import { daysPerCheck } from '../../../../application/followUps/checks/checkPart.js';
import { checks } from '../../../../application/followUps/followUps.js';
import { turns as turnsOf } from '../../../../application/ports/sharing/turns.js';
import { parking } from '../../../../application/reading/parking.js';
import { appendImport } from '../../../../application/requests/useCases/importDays.js';
import { dateOf, dayNumber } from '../../../../domain/dates.js';
import { isCause, type CauseEvent } from '../../../../domain/followUps.js';
import { Rejection, type RejectionCode } from '../../../../domain/rejection.js';
import { dayOf, origin } from '../../../helpers/data/samples.js';
import { summary } from '../../../helpers/data/sourceHistory.js';
import { memoryService } from '../../../helpers/memoryService.js';

/** Checks of the sample source. @param refusal of the first command */
const checking = async (refusal?: RejectionCode) => {
  const { service, events } = await memoryService();
  const followed: (() => void)[] = [];
  const { models, caughtUp, waiters, environment } = service;
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  const take = async (tenant: string): Promise<void> => {
    taken.push(tenant);
    for (const act of waiting.splice(0)) act();
  };
  const turns = { ...turnsOf(environment), take };
  let refused = refusal;
  const handle: CommandHandler = async (...command) => {
    const code = refused;
    refused = undefined;
    if (code) throw new Rejection(code, 'a newer check');
    return service.handle(...command);
  };
  const write = (change: () => void): void => change();
  const shared = { parking: parking({ models, write, log: pino({ level: 'silent' }) }), handle, turns };
  const parts = { models, caughtUp, waiters, environment, ...shared } as never;
  const { run, end } = checks(parts, async () => followed.splice(0).forEach(act => act()));
  const causeOf = (type: CauseEvent['type']): CauseEvent => {
    const cause = events.findLast(event => event.type === type);
    if (!cause || !isCause(cause)) throw new Error(`no ${type}`);
    return cause;
  };
  return { service, run, end, causeOf, taken, events, followed, waiting };
};

t.test('a check of all days waits for a turn of its tenant, one of a few days does not', async t => {
  const { run, causeOf, taken, events } = await checking();
  await run(causeOf('DaysImported'));
  t.strictSame(taken, []);
  await run(causeOf('ModelsReset'));
  t.strictSame(taken, ['default']);
  t.equal(events.filter(({ type }) => type === 'DaysChecked').length, 2);
});

t.test('a check ends after its present part when the service stops', async t => {
  const { service, run, end, causeOf, events, followed } = await checking();
  const days = Array.from({ length: daysPerCheck + 1 }, (_, at) =>
    dayOf(dateOf(dayNumber('2024-03-01') + at)),
  );
  const imported = { days, summary: { ...summary, days: days.length } };
  await appendImport(service, { sourceId: 1, kind: 'recent', imported }, 'many', origin(9));
  await service.caughtUp();
  followed.push(end);
  await t.rejects(run(causeOf('DaysImported')), { name: 'AbortError' });
  const checked = events.filter(({ type }) => type === 'DaysChecked');
  t.match(checked, [{ data: { part: 1, last: false } }] as never);
  t.equal(checked.length, 1);
});

t.test('a check that waits for its turn when the service stops does nothing', async t => {
  const { run, end, causeOf, events, waiting } = await checking();
  waiting.push(end);
  await t.rejects(run(causeOf('ModelsReset')), { name: 'AbortError' });
  t.equal(events.filter(({ type }) => type === 'DaysChecked').length, 0);
});

t.test('an outdated check is made again, another refusal ends it', async t => {
  const { run, causeOf, events } = await checking('checkOutdated');
  await run(causeOf('DaysImported'));
  t.equal(events.filter(({ type }) => type === 'DaysChecked').length, 1);
  const other = await checking('sourceNotFound');
  await t.rejects(other.run(other.causeOf('DaysImported')), { code: 'sourceNotFound' });
});
