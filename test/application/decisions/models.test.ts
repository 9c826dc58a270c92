import t from 'tap';
import { engine } from '../../../analysis/engine.js';
import { sourceHistory } from '../../../application/decisions/sourceHistory.js';
import type { Analyst } from '../../../application/ports/analyst.js';
import { fold } from '../../../domain/decider.js';
import type { DomainEvent } from '../../../domain/events.js';
import { referenceFacts } from '../../../domain/source/sourceState.js';
import { source } from '../../../domain/source/source.js';
import { decidedBy, exported, forged } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { dayOf, id, learnedOf } from '../../helpers/data/samples.js';
import { created, imported, replaced } from '../../helpers/data/sourceHistory.js';
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

t.test('models that a log ends without are awaited for an hour', async t => {
  const log = analysedLog().slice(0, -1);
  t.match(await decidedBy(analyst, log), { findings: exactList(), awaited: 1, undecided: 0 });
  const last = log.at(-1)!;
  const later = { ...last, stream: 'source-2', at: '2099-01-01T00:00:00.000Z', id: id(77) };
  const [missing] = (await decidedBy(analyst, [...log, later])).reasons;
  t.match(missing, { because: /the log continues for more than an hour/ });
});

t.test('a forged log in which a source was learned again from itself has an end', async t => {
  const history = sourceHistory();
  const take = (id: number, n: number, type: string, data: object) =>
    history.take({ event: { stream: `source-${id}`, type, data }, n } as never);
  take(2, 1, 'SourceCreated', created(2).data);
  take(3, 2, 'SourceCreated', { ...created(3).data, relearnedFrom: 2 });
  take(4, 3, 'SourceCreated', { ...created(4).data, relearnedFrom: 4 });
  take(5, 4, 'SourceCreated', { ...created(5).data, relearnedFrom: 6 });
  t.strictSame([2, 3, 4, 5].map(history.knownIds), [[2], [3, 2], [4], [5]]);
  take(2, 5, 'SourceArchived', { relearnedAs: 3 });
  take(3, 6, 'SourceArchived', { relearnedAs: 3 });
  t.strictSame(history.lineageAt(2, 6), { ids: [2, 3], archived: true });
  t.strictSame(history.lineageAt(2, 5), { ids: [2, 3], archived: false });
});

t.test(
  'a source that was learned again has the covariates of the year before, later analyses those of its reference',
  async t => {
    const { events, add } = handWritten();
    const [early, first, last] = ['2022-06-01', '2023-01-01', '2023-01-02'] as const;
    const values = (...dates: readonly string[]) => dates.map(date => ({ date, value: 5 }));
    const series = (...dates: readonly string[]) => [
      { sourceId: 2, name: 'Gate 2', revision: 0, values: values(...dates) },
    ];
    const creation = (sourceId: number, more: object) => {
      const { data, type } = created(sourceId);
      const reference = referenceFacts([dayOf(first), dayOf(last)]);
      return { type, data: { ...data, reference, ...more } } as ReturnType<typeof created>;
    };
    add('source-2', creation(2, {}));
    add(
      'days-2',
      imported(
        id(202),
        'recent',
        [early, first, last].map(date => dayOf(date, 5)),
        1,
        1,
        2,
      ),
    );
    add('source-1', creation(1, { explainedBy: [2], covariates: series(first, last) }));
    const asked = creation(3, { relearnedFrom: 1, covariates: series(early, first, last) });
    add('source-1', {
      type: 'SourceRelearned',
      data: { requestId: id(300), created: asked.data },
    } as DomainEvent);
    add('source-2', { type: 'SourceArchived', data: { requestId: id(301) } });
    add('days-3', imported(id(203), 'reference', [dayOf(first), dayOf(last)], 1, 1, 3));
    add('source-3', asked);
    add('source-2', { type: 'SourceRestored', data: { requestId: id(302) } });
    const described = { ...{ name: 'Gate 3', labels: {}, place: null }, expectedInterval: null };
    add('source-3', {
      type: 'SourceDescribed',
      data: { ...described, requestId: id(303), explainedBy: [2] },
    });
    const again = { requestId: id(304), modelCount: 2, seed: 1, covariates: series(first, last) };
    add('source-3', { type: 'ModelsResetRequested', data: again });
    const log = exported(events);
    const faultsOf = async (
      stream: string,
      type: string,
      covariates: readonly object[],
      isAsked?: (event: (typeof log)[number]) => boolean,
    ) => {
      const isChosen = (event: (typeof log)[number]) => event.stream === stream && event.type === type;
      const { findings } = await decidedBy(
        analyst,
        forged(log, isChosen, data => ({ ...data, covariates })),
        isAsked,
      );
      return findings
        .filter(({ detail }) => /source 2 |covariates are/.test(detail))
        .map(({ event }) => event);
    };
    t.strictSame(await faultsOf('source-1', 'SourceCreated', series(first, last)), []);
    t.strictSame(await faultsOf('source-1', 'SourceCreated', series(early, first, last)), [3]);
    t.strictSame(await faultsOf('source-1', 'SourceCreated', []), [3], 'not its covariates');
    t.strictSame(await faultsOf('source-3', 'SourceCreated', series(first, last)), [7]);
    const archived = [{ ...series()[0], archived: true }];
    t.strictSame(await faultsOf('source-3', 'SourceCreated', archived), [7], 'archived after the request');
    t.strictSame(await faultsOf('source-3', 'ModelsResetRequested', series(early, first, last)), [10]);
    const isOfThree = ({ stream }: (typeof log)[number]): boolean => /-3$/.test(stream);
    const faultsOfThree = (covariates: readonly object[]) =>
      faultsOf('source-3', 'SourceCreated', covariates, isOfThree);
    t.strictSame(await faultsOfThree(series(early, first, last)), [], 'the history of the others is known');
    t.strictSame(await faultsOfThree(series(first, last)), [7]);
  },
);

t.test('an analysis learns without the days that people left out, and keeps models of people', async t => {
  const { events, add } = handWritten();
  const days = [dayOf('2023-01-01'), dayOf('2023-01-02')];
  add('days-1', imported(id(201), 'reference', days));
  const reference = referenceFacts(days);
  const creation = created(1);
  add('source-1', { ...creation, data: { ...creation.data, reference } } as typeof creation);
  add('source-1', replaced(1, 1));
  const leftOut = { requestId: id(300), date: '2023-01-02', reason: 'sealed' };
  add('source-1', { type: 'ReferenceDayLeftOut', data: leftOut });
  const withoutDates = ['2023-01-02'];
  const extended = { requestId: id(302), referenceYear: 2023, reference, leftOut: [], seed: 1 };
  add('source-1', { type: 'ReferenceExtended', data: { ...extended, keepsModels: true, withoutDates } });
  const again = { requestId: id(301), modelCount: 2, seed: 1, withoutDates };
  add('source-1', { type: 'ModelsResetRequested', data: again });
  const log = exported(events);
  const faultsOf = async (type: string, change: object) => {
    const one = forged(
      log,
      event => event.type === type,
      data => ({ ...data, ...change }),
    );
    const { findings } = await decidedBy(analyst, one);
    return findings.map(({ event, detail }) => `${event}: ${detail}`);
  };
  const leftOutDiffer =
    /^\d: the dates that people left out differ: at .0 got nothing, expected "2023-01-02"$/;
  t.match(await faultsOf('ModelsResetRequested', { withoutDates }), exactList());
  t.match(await faultsOf('ModelsResetRequested', { withoutDates: [] }), exactList(leftOutDiffer));
  t.match(await faultsOf('ReferenceExtended', { withoutDates: [] }), exactList(leftOutDiffer));
  t.match(
    await faultsOf('ReferenceExtended', { keepsModels: false }),
    exactList('5: got keepsModels false, expected true by the models before it'),
  );
  t.match(await faultsOf('ReferenceExtended', { keepsModels: undefined }), exactList(), 'older events');
});
