import { createHash } from 'node:crypto';
import { chance } from '../helpers/crash/chance.js';
import { faultsOf } from './faults.js';
import { instance } from './instance.js';
import { expectAll } from './invariants.js';
import { meterSender, wrongRegisters } from './meters.js';
import { placeOf, settings } from './place.js';
import { pointSender, wrongSlices } from './points.js';
import { latenessMaxMs, passPresent, presentSender } from './present.js';
import { drained, scheduler as newScheduler } from './scheduler.js';
import { consumers as newConsumers } from './simulatedGroup.js';
import { emptyDisk } from './simulatedStore.js';
import { client, relearner } from './workload.js';

/**
 * Stops `performance.now`, so that readers of bodies never yield to the event loop.
 * @returns restores the clock
 */
const stillClock = (): (() => void) => {
  const set = (value: typeof performance) =>
    Object.defineProperty(globalThis, 'performance', { value, configurable: true, writable: true });
  const real = performance;
  set(Object.create(real, { now: { value: () => 0 } }) as typeof performance);
  return () => void set(real);
};

/** Result of a seed. */
export type Outcome = {
  readonly seed: number;
  /** Faults as text; empty if there are none. */
  readonly faults: readonly string[];
  /** SHA-256 of the trace; equal for equal seeds. */
  readonly hash: string;
  readonly steps: number;
  readonly events: number;
  readonly virtualMs: number;
};

/** Maximum steps of a seed; later a request is considered lost. */
const stepsMax = 60_000;
const quietMs = 900_000;
/** Share of rounds in which a source is learned again: such a round takes as long as several others. */
const relearnerShare = 0.03;
/** Whether a client of a seed sends points: half of the seeds, but none of the older ones of seeds.json. */
const hasPoints = (seed: number): boolean => seed % 4 < 2;
/** Whether a client of a seed sends points of the present dates of its source, in place of older ones. */
const hasPresent = (seed: number): boolean => seed % 4 === 1;
/** Whether a client of a seed sends readings of a register in place of points. */
const hasMeter = (seed: number): boolean => seed % 4 === 0 && chance(seed, 11).happens(0.4);
/** Time within which a date closes when its end has come, and the errors of the clocks. */
const closeMs = 1000;
/** Time after the faults until points of a request without an answer are in the log: the writer looks every 10 s. */
const unansweredMs = 40_000;
/** Steps between two checks for an idle system. */
const looksEvery = 20;

/**
 * Runs the service with the faults and requests of one seed.
 * @param tell called with each line of the trace
 */
export const simulate = async (seed: number, tell: (line: string) => void = () => {}): Promise<Outcome> => {
  const random = chance(seed);
  const scheduler = newScheduler(chance(seed, 1));
  const hash = createHash('sha256');
  let ended = false;
  const trace = (line: string): void => {
    if (ended) return;
    const timed = `${scheduler.nowMs().toFixed(1)} ${line}`;
    hash.update(timed).update('\n');
    tell(timed);
  };
  const found: string[] = [];
  const note = (fault: string): void => {
    if (ended) return;
    trace(`FAULT ${fault}`);
    found.push(fault);
  };
  const faults = faultsOf(chance(seed, 2), chance(seed, 2, 7));
  const disk = emptyDisk();
  const alone = random.happens(0.25);
  const consumers = alone ? undefined : newConsumers(disk, scheduler, chance(seed, 3), faults);
  const place = placeOf({ disk, scheduler, random: chance(seed, 4), faults, note, trace });
  for (let index = 0; index < (alone ? 1 : 2); index += 1)
    place.instances.push(
      instance(index, {
        disk,
        scheduler,
        random: chance(seed, 5, index),
        faults,
        consumers,
        settings,
        hasPoints: hasPoints(seed),
        known: (keyId, subject) => void place.subjects.set(keyId, subject),
        note,
        trace,
      }),
    );

  const injectFaults = (): void => {
    if (faults.happens('crash')) random.one(place.instances).crash();
    if (faults.happens('crash')) void random.one(place.instances).restart();
    if (faults.happens('outage')) {
      const ms = random.next() ** 3 * 30_000;
      const whom = random.happens(0.6) ? place.instances : [random.one(place.instances)];
      trace(
        `the store is unreachable for ${ms.toFixed(0)} ms for ${whom.map(({ name }) => name).join(' and ')}`,
      );
      for (const { loseStore } of whom) loseStore(ms);
    }
    if (consumers && faults.happens('lostGroup')) {
      trace('the server loses the group');
      consumers.lose();
    }
    if (faults.happens('fullDisk')) {
      const one = random.one(place.instances);
      trace(`the disk of ${one.name} is full`);
      one.fillDisk(random.next() * 8000);
    }
    if (faults.happens('brokenDisk')) {
      const one = random.one(place.instances);
      trace(`the disk of ${one.name} refuses all writes`);
      one.breakDisk(random.next() * 8000);
    }
  };
  /** Steps until `isOver`; false if that is not reached within the limits. */
  const stepUntil = async (isOver: () => boolean, bound: number): Promise<boolean> => {
    await drained();
    for (let steps = 0; !isOver(); steps += 1) {
      if (steps > stepsMax || scheduler.nowMs() > bound || found.length > 0) return false;
      injectFaults();
      if (!(await scheduler.step())) return isOver();
    }
    return true;
  };
  const drive = async (work: Promise<unknown>, bound = Infinity): Promise<boolean> => {
    let over = false;
    void work.then(
      () => (over = true),
      (error: unknown) => {
        over = true;
        note(`the simulation fails: ${String((error as Error).stack)}`);
      },
    );
    return stepUntil(() => over, bound);
  };
  let healedMs = 0;
  const mayHavePoints = (): boolean =>
    scheduler.nowMs() < healedMs + unansweredMs &&
    place.all.some(({ kind, state }) => kind === 'points' && state !== 'acknowledged');
  const isQuiet = (): boolean => scheduler.steps() % looksEvery === 0 && isDone();
  const undone = (): readonly string[] => [
    ...place.ledger.undone(),
    ...wrongSlices(place.all, place.ledger.points),
    ...wrongRegisters(place.all, place.ledger.points),
    ...place.ledger.unclosed(new Date(scheduler.wallMs() - closeMs).toISOString()),
  ];
  const isDone = (): boolean => {
    place.ledger.readOn();
    for (const fault of place.ledger.faults()) note(fault);
    const end = BigInt(disk.log.length);
    return (
      place.instances.every(({ isUp, position }) => isUp() && position() >= end) &&
      undone().length === 0 &&
      !mayHavePoints() &&
      (consumers?.state().undone ?? 0) === 0
    );
  };

  const restore = stillClock();
  try {
    for (let round = 0; round < 1 + Number(random.happens(0.3)) && found.length === 0; round += 1) {
      faults.begin();
      const clients = Array.from({ length: 1 + random.below(3) }, (_, index) =>
        client(place, scheduler, chance(seed, 6, round, index), {
          name: `client ${index}`,
          count: 2 + random.below(6),
        }),
      );
      // A chance of its own: seeds without a relearner have the same run as before there was one.
      const relearns = chance(seed, 8, round);
      if (relearns.happens(relearnerShare) && !hasPresent(seed))
        clients.push(relearner(place, scheduler, relearns));
      // Recent days of points would move the year that a source is learned again from.
      else if (hasPresent(seed)) clients.push(presentSender(place, scheduler, chance(seed, 10, round)));
      else if (hasMeter(seed)) clients.push(meterSender(place, scheduler, chance(seed, 12, round)));
      else if (hasPoints(seed)) clients.push(pointSender(place, scheduler, chance(seed, 9, round)));
      const answered = await drive(Promise.all(clients));
      faults.heal();
      healedMs = scheduler.nowMs();
      for (const { heal } of place.instances) heal();
      trace('all faults have ended');
      if (hasPresent(seed)) passPresent(scheduler);
      if (!answered && found.length === 0) note('the clients do not end');
      // A leap of the clocks is an outage, after which dates wait for the lateness of their source.
      const endMs = scheduler.nowMs() + quietMs + (hasPresent(seed) ? latenessMaxMs : 0);
      if (!(await stepUntil(isQuiet, endMs)) && !isDone() && found.length === 0)
        note(`work does not end: ${undone().join(', ') || 'read models do not catch up'}`);
      if (found.length === 0) await drive(expectAll(place, disk));
      for (const fault of place.ledger.faults()) note(fault);
    }
  } finally {
    restore();
    ended = true;
    for (const { close } of place.instances) close();
  }
  return {
    seed,
    faults: found,
    hash: hash.digest('hex'),
    steps: scheduler.steps(),
    events: disk.log.length,
    virtualMs: Math.round(scheduler.nowMs()),
  };
};
