import { pino } from 'pino';
import t from 'tap';
import { calendarFollower } from '../../../application/followUps/calendarFollower.js';
import { parking } from '../../../application/reading/parking.js';
import { calendar } from '../../../domain/planning/calendarRules.js';
import { streams } from '../../../domain/streams.js';
import { factsOf, origin } from '../../helpers/data/samples.js';
import { memoryService } from '../../helpers/memoryService.js';

const rule = {
  ...{ ruleId: 'r', name: 'Fair', rule: null, from: '2024-01-01', to: '2024-12-31' },
  dates: ['2024-02-05'],
  labels: { site: 'north' },
};

t.test('after a change of the rules of a tenant the read models have what its sources follow', async t => {
  const facts = { ...factsOf(1), labels: { site: 'north' } };
  const { service, events } = await memoryService({ facts });
  const { models, caughtUp, handle, environment } = service;
  const log = pino({ level: 'silent' });
  const parts = { models, caughtUp, handle, environment, log };
  const follower = calendarFollower({
    ...parts,
    parking: parking({ models, write: change => change(), log }),
  });
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
