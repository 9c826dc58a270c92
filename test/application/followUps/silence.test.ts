import fc from '../../helpers/property.js';
import t from 'tap';
import { presentRules } from '../../../analysis/engine.js';
import { checkedSilence } from '../../../application/followUps/checks/decideCheck.js';
import { alerts } from '../../../domain/alerts/alerts.js';
import { parseAlertId, type AlertsState } from '../../../domain/alerts/alertsState.js';
import type { CheckCause } from '../../../domain/alerts/checks.js';
import { days, type DaysEvent } from '../../../domain/days.js';
import { dateOf } from '../../../domain/dates.js';
import type { EventOf } from '../../../domain/events.js';
import {
  deadlineOf,
  expectedInterval,
  rhythmAfter,
  rhythmFrom,
  type Rhythm,
} from '../../../domain/alerts/silence.js';
import type { SourceRhythm } from '../../../projections/rhythms.js';

// Imports and looks at the clock in any order, by the rules of the domain alone.

type Cause = EventOf<CheckCause['type']>;
type Step = { readonly hours: number; readonly action: 'look' | 'import' | 'correct' | 'resolve' };

const startMs = Date.parse('2024-03-01T00:00:00.000Z');
const hourMs = 3_600_000;
const initialDays = days.initial;

/** A rhythm as the read model has it, of a source without points. */
const knownRhythm = (rhythm: Rhythm, givenMinutes: number | null): SourceRhythm => ({
  ...{ rhythm, withNeighbours: rhythm, withFuture: rhythm, givenMinutes },
  feed: { sliceMinutes: null, latenessMinutes: 15 },
  first: { minutes: 60, isFed: false },
});

/** A source with its rhythm, its stream of days and its alerts. */
const source = (givenMinutes: number | null) => {
  let nowMs = startMs;
  let n = 0;
  let rhythm: Rhythm = rhythmFrom(new Date(startMs).toISOString());
  let ofDays = initialDays;
  let ofAlerts: AlertsState = alerts.initial;
  const open = new Set<string>();
  let ticks = 0;
  const now = (): string => new Date(nowMs).toISOString();

  const check = (event: DaysEvent): void => {
    n += 1;
    const [id, type] = [`cause-${n}`, event.type];
    const cause = { id, type, stream: 'days-1', at: now(), data: event.data } as unknown as Cause;
    const checked = checkedSilence(cause, knownRhythm(rhythm, givenMinutes), presentRules);
    const events = alerts.decide(
      {
        ...{ type: 'RecordCheck', sourceId: 1, cause: { id, type }, part: 1, last: true, engine: 'e' },
        ...{ modelsVersion: 1, knowledge: { source: n, days: n }, days: [], ...checked },
      },
      ofAlerts,
    );
    for (const each of events) {
      ofAlerts = alerts.evolve(ofAlerts, each);
      if (each.type === 'AlertRaised') open.add(each.data.alertId);
      if (each.type === 'AlertEnded') open.delete(each.data.alertId);
    }
  };
  const deadline = (): string | null => deadlineOf(rhythm, expectedInterval(rhythm, givenMinutes));

  return {
    open,
    deadline,
    now,
    ticks: () => ticks,
    take: ({ hours, action }: Step): void => {
      nowMs += hours * hourMs;
      const due = deadline();
      switch (action) {
        case 'look': {
          if (due === null || due > now()) return;
          for (const event of days.decide({ type: 'TickClock', sourceId: 1, deadline: due }, ofDays)) {
            ofDays = days.evolve(ofDays, event);
            ticks += 1;
            check(event);
          }
          return;
        }
        case 'import':
        case 'correct': {
          const age = action === 'import' ? 1 : 200;
          const date = dateOf(Math.floor(nowMs / (24 * hourMs)) - age);
          const importId = `import-${n}`;
          rhythm = rhythmAfter(rhythm, { importId, at: now(), lastDate: date });
          check({ type: 'DaysImported', data: { importId } } as unknown as DaysEvent);
          return;
        }
        case 'resolve':
          for (const alertId of open) {
            const command = { type: 'ResolveAlert', alertId, verdict: 'anomaly', comment: null } as const;
            for (const event of alerts.decide(command, ofAlerts)) ofAlerts = alerts.evolve(ofAlerts, event);
          }
          open.clear();
      }
    },
  };
};

t.test(
  'an alert has the date of the deadline by the clock of its source; older events have that of UTC',
  async t => {
    const dateOn = (deadline: string, lastDate: string, date?: string) => {
      const rhythm = { ...rhythmFrom(new Date(Date.parse(deadline) - hourMs).toISOString()), lastDate };
      const data = { sourceId: 1, deadline, ...(date !== undefined && { date }) };
      const cause = { type: 'ClockTicked', stream: 'days-1', at: deadline, data } as unknown as Cause;
      return checkedSilence(cause, knownRhythm(rhythm, 60), presentRules).silence?.date;
    };
    const [auckland, losAngeles] = ['2024-07-20T14:05:00.000Z', '2024-07-21T00:30:00.000Z'] as const;
    t.equal(dateOn(auckland, '2024-07-20', '2024-07-21'), '2024-07-21');
    t.equal(dateOn(losAngeles, '2024-07-20', '2024-07-20'), '2024-07-20');
    t.equal(dateOn(auckland, '2024-07-20'), '2024-07-20');
    t.equal(dateOn(losAngeles, '2024-07-20'), '2024-07-21');
  },
);

const step = fc.record({
  hours: fc.integer({ min: 0, max: 60 }),
  action: fc.constantFrom<Step['action']>('look', 'look', 'import', 'import', 'correct', 'resolve'),
});

t.test(
  'any order of imports and looks: one open alert at most, ended by data, none without a cause',
  async t => {
    t.doesNotThrow(() =>
      fc.assert(
        fc.property(fc.constantFrom(null, 60, 1440), fc.array(step, { maxLength: 60 }), (given, steps) => {
          const one = source(given);
          let imports = 0;
          const deadlines = new Set([one.deadline()]);
          for (const each of steps) {
            const before = one.open.size;
            one.take(each);
            deadlines.add(one.deadline());
            if (each.action === 'import') imports += 1;
            if (one.open.size > 1) throw new Error('two open alerts');
            if (each.action === 'import' && one.open.size > 0) throw new Error('open after new data');
            if (each.action === 'correct' && imports > 0 && one.open.size < before)
              throw new Error('ended by a correction');
            if (one.open.size > before && each.action !== 'look') throw new Error('raised without a tick');
            for (const id of one.open) {
              const date = parseAlertId(id)?.date;
              if (date === undefined || date > one.now().slice(0, 10)) throw new Error(`raised for ${date}`);
            }
          }
          if (one.ticks() > deadlines.size) throw new Error('more ticks than deadlines');
        }),
        { numRuns: 500 },
      ),
    );
  },
);

t.test('a silence is found by the first look at the clock after its deadline', async t => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const one = source(1440);
        for (const each of steps) one.take(each);
        one.take({ hours: 0, action: 'import' });
        const found: number[] = [];
        for (const hours of [23, 2]) {
          one.take({ hours, action: 'look' });
          found.push(one.open.size);
        }
        if (found.join() !== '0,1') throw new Error(`open after 23 and 25 hours: ${found.join()}`);
      }),
    ),
  );
});
