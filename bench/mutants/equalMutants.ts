/** A mutant that no test can find, as a person has seen: its file, its changed line, and the reason. */
export type EqualMutant = { readonly file: string; readonly after: string; readonly reason: string };

const lloyd = 'analysis/learning/clustering/lloyd.js';
const looser = 'a looser bound only makes the clustering compute more distances';
const noFlag = 'the slice after the last one has no flag';
const announcing = 'the event that announced an incident has its facts, its source and its finding';
const repeated =
  'the state of the stream recognises a repeated command; its events are not found in another way';
const exact = 'the distance is computed exactly, which takes longer';
const sign = 'only the sign counts in a comparison';
const tie = 'differs only where two measured numbers are the same to the last bit';

/** Mutants that behave as the code does. They are counted apart. */
export const equalMutants: readonly EqualMutant[] = [
  {
    file: lloyd,
    after: 'const remainder = Math.min(before + means.remaindersMax[at], sizeBefore > 1',
    reason: looser,
  },
  { file: lloyd, after: 'moves[at] = 1;', reason: looser },
  {
    file: 'analysis/learning/tolerances.js',
    after: 'return count - high.count < up && Math.min(count, Math.floor(down) + 2) <= low.count;',
    reason: 'the tails are gathered once more, wider, and have the same quantiles',
  },
  {
    file: 'analysis/calendar/heldOutDays.js',
    after: 'return compared > 1 ? error / compared : Number.POSITIVE_INFINITY;',
    reason: 'two days are compared with each other, so that one is never compared alone',
  },
  {
    file: 'analysis/calendar/findCycles.js',
    after: 'const most = rises.reduce((best, rise, phase) => (rise > rises[best] ? phase : best), 1);',
    reason: tie,
  },
  { file: 'analysis/findings/shapeFacts.js', after: 'if (rest <= least)', reason: tie },
  {
    file: 'analysis/misread/wrongValues.js',
    after: 'return (high >>> 6) * 2 ** 26 + (low >>> 7);',
    reason: 'days with the same hash are compared value by value',
  },
  {
    file: 'domain/sameJson.js',
    after: '? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -2 : 1)))',
    reason: sign,
  },
  {
    file: 'application/requests/useCases/previewModels.js',
    after: 'const part = nextPart(1 + from * daysPerCheck, dates.slice(from), earlier);',
    reason: 'numbers of parts of a preview only have to differ',
  },
  {
    file: 'application/reading/projectionRunner.js',
    after: 'requested += 2;',
    reason: 'passes are compared by order, not counted',
  },
  {
    file: 'analysis/learning/clustering/clusterRows.js',
    after: 'if (best.least !== 0 && best.inertia() === 0)',
    reason: 'more starts are tried, none of which is better than one without inertia',
  },
  {
    file: 'analysis/learning/clustering/clusterRows.js',
    after: 'const end = { tolerance: 1e-6, maxIterations: 301 };',
    reason: 'a bound that no clustering comes near',
  },
  {
    file: 'analysis/learning/clustering/clusterRows.js',
    after: 'if (distances[row] <= nearest[row])',
    reason: 'writes the number that is there',
  },
  {
    file: 'analysis/learning/learn.js',
    after:
      'const moves = Float64Array.from(profiles, (profile, model) => Math.sqrt(scaledDistance(before[model], profile)) * (2 + margin));',
    reason: looser,
  },
  {
    file: 'analysis/learning/outliers.js',
    after: 'for (let at = 0; at <= near.length; at += 1) {',
    reason: exact,
  },
  {
    file: 'analysis/checking/assignDays.js',
    after: 'for (let slice = 0; slice <= activity.length; slice += 1) {',
    reason: noFlag,
  },
  {
    file: 'analysis/changes/detectChange.js',
    after: 'const size = last[0]?.values.length ?? 2;',
    reason: 'without days with alerts there are no endings to try',
  },
  {
    file: 'domain/alerts/alertSentence.js',
    after: 'return texts.clock(texts.duration(durationParts(Math.abs(minutes))), minutes > 1);',
    reason: 'no shift of less than 30 minutes is named',
  },
  {
    file: 'application/reading/parking.js',
    after: 'if (weight <= batchMax)',
    reason: 'a batch may have one event more',
  },
  {
    file: 'application/messages/progress.js',
    after: 'const backoffMs = Math.min(longestMs, firstMs * factor ** Math.min(attempts - 1, 31));',
    reason: 'the longest wait is reached long before',
  },
  {
    file: 'analysis/learning/clustering/clusterRows.js',
    after: 'cluster.count += 2;',
    reason: 'sizes of clusters are only compared, and a larger cluster stays larger',
  },
  {
    file: 'application/requests/dataTables.js',
    after: 'if (!last && alerts.length < alertsAtOnce)',
    reason: 'one more page is read, which is empty',
  },
  {
    file: 'application/ports/localClock.js',
    after: 'let current = { from: 1, to: 0, offset: 0 };',
    reason: 'a period that ends at its start or before has no instant',
  },
  {
    file: 'application/messages/progress.js',
    after: 'random: randomBytes(5).readUInt32LE() / 2 ** 32,',
    reason: 'only the first four bytes are read',
  },
  {
    file: 'application/requests/useCases/testWebhook.js',
    after: 'const waitMaxMs = 5001;',
    reason: 'a millisecond is less than a request takes',
  },
  {
    file: 'application/logs/copyLog.js',
    after: 'const batchMax = 501;',
    reason: 'a batch may have one event more',
  },
  {
    file: 'application/requests/imports/importWarnings.js',
    after: 'const last = days.at(-1)?.dayNumber ?? 1;',
    reason: 'a body without days is refused before',
  },
  {
    file: 'application/messages/dispatch.js',
    after: 'if (!moment && !described || !found)',
    reason: announcing,
  },
  {
    file: 'application/messages/dispatch.js',
    after: 'if (!moment || !described && !found)',
    reason: announcing,
  },
  {
    file: 'analysis/misread/windows.js',
    after: 'if (!(length >= 0 && length < Infinity))',
    reason: 'correlations with a flat profile are NaN then, as without a shape',
  },
  {
    file: 'analysis/changes/detectChange.js',
    after: 'const isActive = (value) => value >= active;',
    reason: tie,
  },
  {
    file: 'analysis/math/portableMath.js',
    after: 'const within = x >= 700 ? 700 : x < -700 ? -700 : x;',
    reason: 'the same number',
  },
  {
    file: 'application/ports/environment.js',
    after: 'let isAsked = true;',
    reason: 'it is set before it is read',
  },
  {
    file: 'analysis/learning/clustering/centres.js',
    after: 'return { least: least * (1 - 1.000000001), most: most * (1 + 1e-9) };',
    reason: looser,
  },
  {
    file: 'analysis/learning/limits/minimumDetectableChange.js',
    after:
      'return residual === 0 ? 0 : residual / (residual >= 0 ? tolerance.up[slice] : tolerance.down[slice]);',
    reason: 'a residual of 0 is handled before',
  },
  {
    file: 'analysis/calendar/holidays.js',
    after: '.sort((a, b) => (a.date < b.date ? -2 : 1));',
    reason: sign,
  },
  {
    file: 'analysis/learning/prepare.js',
    after: 'if (value > 0)',
    reason: 'a value of 0 adds nothing to either sum',
  },
  {
    file: 'analysis/changes/detectChange.js',
    after: 'for (let slice = 0; slice <= values.length; slice += 1)',
    reason: noFlag,
  },
  {
    file: 'analysis/misread/wrongTimes.js',
    after: "const [year = 0, month = 0, day = 1] = dateOf(dayNumber).split('-').map(Number);",
    reason: 'each date has a day',
  },
  {
    file: 'analysis/learning/clustering/projection.js',
    after: 'for (let row = 0; row <= count; row += 1) {',
    reason: 'typed arrays ignore what is written after their ends',
  },
  {
    file: lloyd,
    after:
      'const atMost = squared >= enough ? Number.POSITIVE_INFINITY : squared + (remainder + high) * (remainder + high) + slack;',
    reason: 'a centre at the bound is no nearer either way',
  },
  {
    file: 'analysis/learning/sliceMedians.js',
    after: 'for (let row = 0; row <= after.length; row += 1) {',
    reason: 'a row after the last one has no group before and after, so that it is not counted',
  },
  { file: 'application/followUps/followUpParts.js', after: 'isRetry: true,', reason: repeated },
  { file: 'application/requests/useCases/importDays.js', after: 'isRetry: true,', reason: repeated },
  {
    file: 'application/requests/points/pointWriter.js',
    after:
      'const metadata = { id, isRetry: true, by, cause: id, correlation: id, at: instantOf(environment) };',
    reason: 'the id is a new one',
  },
  {
    file: 'application/commands/commandHandler.js',
    after: "const noCommand = { id: '', isRetry: true, by: '', cause: '', correlation: '', at: '' };",
    reason: 'nothing is decided',
  },
  {
    file: 'application/requests/useCases/changeSource.js',
    after:
      'const sourceId = await reserveId(service, importId, { ...metadata, id: importId, isRetry: true });',
    reason: repeated,
  },
  {
    file: 'analysis/learning/outliers.js',
    after: 'const weight = nearWeights[at] / (other === index ? 1 : 1 - factors[other]);',
    reason: exact,
  },
  {
    file: 'application/requests/collector.js',
    after: 'const lookMs = lookMinutes * 60001;',
    reason: 'a sleep lasts ten minutes at most',
  },
  {
    file: 'analysis/learning/limits/minimumDetectableChange.js',
    after: 'sum += profile[at] - (at >= width ? profile[at - width] : 1);',
    reason: 'each sum that is compared is lower by the same',
  },
  {
    file: 'analysis/checking/recentLevel.js',
    after: 'const first = residuals[1];',
    reason: 'all days have as many slices, and one day is too few for a shift',
  },
];
