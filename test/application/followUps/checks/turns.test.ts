import { pino } from 'pino';
import t from 'tap';
import type { CommandHandler } from '../../../../application/commands/commandHandler.js';
import { checks } from '../../../../application/followUps/followUps.js';
import { turns as turnsOf } from '../../../../application/ports/sharing/turns.js';
import { parking } from '../../../../application/reading/parking.js';
import { isCause, type CauseEvent } from '../../../../domain/followUps.js';
import { Rejection, type RejectionCode } from '../../../../domain/rejection.js';
import { memoryService } from '../../../helpers/memoryService.js';

/** Checks of the sample source. @param refusal of the first command */
const checking = async (refusal?: RejectionCode) => {
  const { service, events } = await memoryService();
  const { models, caughtUp, waiters, environment } = service;
  const taken: string[] = [];
  const turns = { ...turnsOf(environment), take: async (tenant: string) => void taken.push(tenant) };
  let refused = refusal;
  const handle: CommandHandler = async (...command) => {
    const code = refused;
    refused = undefined;
    if (code) throw new Rejection(code, 'a newer check');
    return service.handle(...command);
  };
  const write = (change: () => void): void => change();
  const shared = { parking: parking({ models, write, log: pino({ level: 'silent' }) }), handle, turns };
  const { run } = checks({ models, caughtUp, waiters, environment, ...shared } as never, async () => {});
  const causeOf = (type: CauseEvent['type']): CauseEvent => {
    const cause = events.findLast(event => event.type === type);
    if (!cause || !isCause(cause)) throw new Error(`no ${type}`);
    return cause;
  };
  return { run, causeOf, taken, events };
};

t.test('a check of all days waits for a turn of its tenant, one of a few days does not', async t => {
  const { run, causeOf, taken, events } = await checking();
  await run(causeOf('DaysImported'));
  t.strictSame(taken, []);
  await run(causeOf('ModelsReset'));
  t.strictSame(taken, ['default']);
  t.equal(events.filter(({ type }) => type === 'DaysChecked').length, 2);
});

t.test('an outdated check is made again, another refusal ends it', async t => {
  const { run, causeOf, events } = await checking('checkOutdated');
  await run(causeOf('DaysImported'));
  t.equal(events.filter(({ type }) => type === 'DaysChecked').length, 1);
  const other = await checking('sourceNotFound');
  await t.rejects(other.run(other.causeOf('DaysImported')), { code: 'sourceNotFound' });
});
