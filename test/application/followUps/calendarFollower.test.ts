import { pino } from 'pino';
import t from 'tap';
import { calendarFollower } from '../../../application/followUps/calendarFollower.js';
import { waitersFor } from '../../../application/reading/freshness.js';
import { parking } from '../../../application/reading/parking.js';
import type { Service } from '../../../application/requests/service.js';
import { calendar } from '../../../domain/planning/calendarRules.js';
import { source } from '../../../domain/source/source.js';
import { streams } from '../../../domain/streams.js';
import { factsOf, origin } from '../../helpers/data/samples.js';
import { memoryService } from '../../helpers/memoryService.js';

const rule = {
  ...{ ruleId: 'r', name: 'Fair', rule: null, from: '2024-01-01', to: '2024-12-31' },
  dates: ['2024-02-05'],
  labels: { site: 'north' },
};

const followerOf = (
  { models, caughtUp, handle, environment }: Service,
  { waitMs = 10_000, commands = handle }: { waitMs?: number; commands?: Service['handle'] } = {},
) => {
  const log = pino({ level: 'silent' });
  return calendarFollower({
    ...{ models, caughtUp, environment, log, handle: commands },
    waiters: waitersFor(environment, waitMs),
    parking: parking({ models, write: change => change(), log }),
  });
};

t.test('after a change of the rules of a tenant the read models have what its sources follow', async t => {
  const facts = { ...factsOf(1), labels: { site: 'north' } };
  const { service, events } = await memoryService({ facts });
  const { models, caughtUp, handle } = service;
  const follower = followerOf(service);
  await follower.follow('default');
  const before = events.length;
  const save = { type: 'SaveCalendarRule', requestId: 'a', rule } as const;
  await handle(calendar, streams.calendar('default'), save, origin(50));
  await caughtUp();
  t.strictSame(
    events.slice(before).map(({ type }) => type),
    ['CalendarRuleSaved'],
  );
  await follower.follow('other');
  t.equal(models.planning.day(1, '2024-02-05').dayType.type, 'ordinary', 'the rule is of another tenant');
  await follower.follow('default');
  t.strictSame(
    events.slice(before + 1).map(({ type }) => type),
    ['CalendarRuleApplied'],
  );
  t.match(models.planning.day(1, '2024-02-05').dayType, { type: 'special', name: 'Fair' });
  await follower.follow('default');
  await caughtUp();
  t.equal(events.length, before + 2, 'a rule is applied once');
  await follower.stop();
});

/** Sources 1 to 4 of a tenant and source 5 of another one, which lack the rule of their tenants. */
const twoTenants = async () => {
  const on = await memoryService({ facts: { ...factsOf(1), labels: rule.labels } });
  const { handle, caughtUp } = on.service;
  for (const sourceId of [2, 3, 4, 5]) {
    const tenant = sourceId === 5 ? 'other' : 'default';
    const facts = { ...factsOf(sourceId), tenant, labels: rule.labels };
    const command = { type: 'CreateSource', requestId: `a${sourceId}`, facts, seed: 1 } as const;
    await handle(source, streams.source(sourceId), command, origin(10 + sourceId));
  }
  for (const [index, tenant] of ['default', 'other'].entries()) {
    const own = { ...rule, ruleId: `r-${tenant}` };
    const save = { type: 'SaveCalendarRule', requestId: 'a', rule: own } as const;
    await handle(calendar, streams.calendar(tenant), save, origin(50 + index));
  }
  await caughtUp();
  return on;
};

t.test('tenants are served in turns', async t => {
  const { service, events } = await twoTenants();
  const follower = followerOf(service);
  await Promise.all([follower.follow('default'), follower.follow('other')]);
  await service.caughtUp();
  const applied = events.filter(({ type }) => type === 'CalendarRuleApplied');
  const order = ['source-1', 'source-5', 'source-2', 'source-3', 'source-4'];
  t.strictSame(
    applied.map(({ stream }) => stream),
    order,
  );
  await follower.stop();
});

t.test('a request waits for the sources of its tenant only as long as for other outcomes', async t => {
  const { service } = await twoTenants();
  let release = (): void => {};
  const held = new Promise<void>(resolve => (release = resolve));
  const commands = (async (...command: Parameters<Service['handle']>) => {
    await held;
    return service.handle(...command);
  }) as Service['handle'];
  const follower = followerOf(service, { waitMs: 1, commands });
  await follower.follow('default');
  t.equal(
    service.models.planning.day(1, '2024-02-05').dayType.type,
    'ordinary',
    'it did not wait for the store',
  );
  release();
  await follower.stop();
});
