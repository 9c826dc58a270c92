// CPU time of the clustering of a year against scikit-learn, on the same days in one run: `npm run bench:clustering`.
// Ten starts of k-means for each number of models, and the silhouettes. Without Python and scikit-learn their row is
// skipped with the reason. PYTHON names another interpreter.
import { spawnSync } from 'node:child_process';
import { clusterRows, scaledRows } from '../analysis/learning/clustering/clusterRows.js';
import { candidateCounts } from '../analysis/learning/crossFitting.js';
import { rowsOf, type FlatRows } from '../analysis/math/flatRows.js';
import { seededRandom } from '../analysis/math/seededRandom.js';
import { silhouettes } from '../analysis/tuning/trySetting.js';

const days = 365;
const rounds = 3;

/** Days of a year: the rhythm of the weekday times noise of the day and of the slice. */
const madeRows = (slices: number): FlatRows => {
  const random = seededRandom(1);
  return scaledRows(
    Array.from({ length: days }, (_, day) => {
      const level =
        (day % 7 > 4 ? 0.5 : 1) * (1 + 0.3 * Math.sin((2 * Math.PI * day) / days)) + 0.2 * random();
      return Array.from(
        { length: slices },
        (_, slice) => level * (1 + Math.sin((2 * Math.PI * slice) / slices)) + 0.1 * random(),
      );
    }),
  );
};

/** The same work in Python: rows as JSON on stdin, CPU seconds of the process on stdout. */
const script = `
import json, sys, time
data = json.load(sys.stdin)
import numpy
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
rows = numpy.array(data["rows"])
best = None
for _ in range(data["rounds"]):
    begun = time.process_time()
    for k in data["counts"]:
        labels = KMeans(n_clusters=k, n_init=10, random_state=1).fit(rows).labels_
        silhouette_score(rows, labels)
    taken = time.process_time() - begun
    best = taken if best is None else min(best, taken)
print(best)
`;

/** Least CPU seconds of some rounds. */
const ownSeconds = (rows: FlatRows): number => {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    // A new object: distances of rows are kept for each.
    const fresh = { ...rows };
    const begun = process.cpuUsage();
    for (const count of candidateCounts) silhouettes(rowsOf(fresh), clusterRows(fresh, count, 1));
    const { user, system } = process.cpuUsage(begun);
    best = Math.min(best, (user + system) / 1e6);
  }
  return best;
};

/** CPU seconds of scikit-learn, or the reason why it is skipped. */
const peerSeconds = (rows: number[][]): number | string => {
  const { status, stdout, stderr, error } = spawnSync(process.env['PYTHON'] ?? 'python3', ['-c', script], {
    input: JSON.stringify({ rows, counts: candidateCounts, rounds }),
    encoding: 'utf8',
  });
  if (error) return error.message;
  return status === 0 ? Number(stdout) : (stderr.trim().split('\n').at(-1) ?? 'no output');
};

process.stdout.write(
  `k-means with 10 starts for k = ${candidateCounts.join(', ')} and silhouettes, CPU time\n`,
);
for (const slices of [24, 144]) {
  const rows = madeRows(slices);
  const own = ownSeconds(rows);
  const peer = peerSeconds(rowsOf(rows));
  const against =
    typeof peer === 'number'
      ? `scikit-learn ${peer.toFixed(2)} s, ${(own / peer).toFixed(1)} times its time`
      : `scikit-learn skipped: ${peer}`;
  process.stdout.write(`${days} days of ${slices} values: Daybook ${own.toFixed(2)} s, ${against}\n`);
}
