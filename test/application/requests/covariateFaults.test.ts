import t from 'tap';
import { covariateFaults } from '../../../application/requests/useCases/createSource.js';
import { exactList } from '../../helpers/exactList.js';

// Circles of covariates are found in a graph of any form, and each source is read a few times at most.

const tenant = 'default';

/** Sources by the ids that explain each, and the number of times that one was read. */
const graph = (explainedBy: (id: number) => readonly number[]) => {
  let reads = 0;
  const setup = (id: number) => {
    reads += 1;
    if (reads > 100_000) throw new Error('sources are read without end');
    return { tenant, archivedAt: null, explainedBy: explainedBy(id) };
  };
  const sources = { setup } as unknown as Parameters<typeof covariateFaults>[0]['sources'];
  return { sources, reads: () => reads };
};

/** Layers of three sources, each explained by all three of the next one; the last layer has id 60 at the end. */
const layers = graph(id => {
  const next = 3 * Math.ceil(id / 3);
  return next < 60 ? [next + 1, next + 2, next + 3] : [];
});

t.test('layers of covariates: each source is read once for each covariate', t => {
  t.strictSame(covariateFaults(layers, { tenant, sourceId: undefined }, [1, 2, 3]), []);
  t.equal(layers.reads(), 3, 'a new source closes no circle');
  t.strictSame(covariateFaults(layers, { tenant, sourceId: 100 }, [1, 2, 3]), []);
  t.ok(layers.reads() <= 3 * 60 + 3, `${layers.reads()} reads`);
  const circle = covariateFaults(layers, { tenant, sourceId: 60 }, [1, 2, 59]);
  t.match(
    circle,
    exactList({ pointer: '/explainedBy/0', detail: /a circle/ }, { pointer: '/explainedBy/1' }),
    'each covariate that closes a circle is named',
  );
  t.end();
});

t.test('a long chain of covariates', t => {
  const chain = graph(id => (id < 20_000 ? [id + 1] : []));
  t.match(covariateFaults(chain, { tenant, sourceId: 20_000 }, [1]), exactList({ detail: /a circle/ }));
  t.end();
});
