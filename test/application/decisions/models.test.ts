import t from 'tap';
import { engine } from '../../../analysis/engine.js';
import type { Analyst } from '../../../application/ports/analyst.js';
import { fold } from '../../../domain/decider.js';
import { referenceFacts } from '../../../domain/source/sourceState.js';
import { source } from '../../../domain/source/source.js';
import { decidedBy, exported, forged } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { dayOf, id, learnedOf } from '../../helpers/data/samples.js';
import { created, imported } from '../../helpers/data/sourceHistory.js';
import { handWritten } from '../../helpers/data/tables.js';

// A log with one analysis, decided again by an analyst with the same result.

const learned = { ...learnedOf(2), engine };
const analyst = { run: async () => learned } as unknown as Pick<Analyst, 'run'>;

const analysedLog = () => {
  const { events, add } = handWritten();
  const days = [dayOf('2023-01-01'), dayOf('2023-01-02')];
  add('catalog', { type: 'SourceIdReserved', data: { sourceId: 1, requestId: id(101) } });
  add('days-1', imported(id(201), 'reference', days));
  const creation = created(1);
  const data = { ...creation.data, reference: referenceFacts(days) } as typeof creation.data;
  const cause = add('source-1', { ...creation, data } as typeof creation);
  const state = fold(source, source.initial, events.slice(-1) as never);
  const [reset] = source.decide({ type: 'ResetModels', requestId: id(101), learned }, state);
  add('source-1', reset!, 'reactor', cause);
  return exported(events);
};

t.test('models follow from the event that requests them', async t => {
  const log = analysedLog();
  t.match(await decidedBy(analyst, log), { findings: exactList(), undecided: 0, proved: 2 });
  const isReset = ({ type }: { readonly type: string }) => type === 'ModelsReset';
  const of = async (change: object) =>
    (
      await decidedBy(
        analyst,
        forged(log, isReset, data => ({ ...data, ...change })),
      )
    ).findings;
  t.match(
    await of({ requestId: id(7) }),
    exactList({ event: 4, detail: 'no earlier event requests these models' }),
  );
  t.match(await of({ hitRate: 0.5 }), exactList({ detail: /\/hitRate got 0.5, expected 0.75/ }));
  t.match(await of({ engine: 'a later one' }), exactList({ detail: /^it names the engine a later one/ }));
});
