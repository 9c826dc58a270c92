import t from 'tap';
import { acceptedMax, decideAcceptance, type AcceptedChange } from '../../domain/source/acceptedChanges.js';
import { emptyKeyed } from '../../domain/keyed.js';
import { source } from '../../domain/source/source.js';
import type { SourceEvent } from '../../domain/source/sourceState.js';
import { given } from '../helpers/decisions/decider.js';
import { factsOf, id } from '../helpers/data/samples.js';

// Changes that people take as the new normal: rules of a source.

const created: SourceEvent = { type: 'SourceCreated', data: { ...factsOf(1), requestId: id(1), seed: 1 } };
const level = (incident: number): AcceptedChange => ({
  ...{ type: 'level', size: 0.25, from: '2024-05-12' },
  incidentId: `inc-1-20240512-${incident}`,
});
const accept = (request: number, change: AcceptedChange) =>
  ({ type: 'AcceptChange', requestId: id(request), change }) as const;
const accepted = (request: number, change: AcceptedChange): SourceEvent => ({
  type: 'ChangeAccepted',
  data: { requestId: id(request), change },
});
const withdraw = (request: number) =>
  ({ type: 'WithdrawChange', requestId: id(request), incidentId: level(1).incidentId }) as const;
const withdrawn: SourceEvent = {
  type: 'ChangeWithdrawn',
  data: { requestId: id(3), incidentId: level(1).incidentId, from: '2024-05-12' },
};

t.test('a change is accepted once, and withdrawn', async t => {
  given(t, source, created)
    .when(accept(2, level(1)))
    .then(accepted(2, level(1)));
  given(t, source, created, accepted(2, level(1)))
    .when(accept(2, level(1)))
    .then();
  given(t, source, created, accepted(2, level(1)))
    .when(accept(4, level(1)))
    .rejects('incidentTransition');
  given(t, source, created, accepted(2, level(1)))
    .when(withdraw(3))
    .then(withdrawn);
  given(t, source, created, accepted(2, level(1)), withdrawn)
    .when(withdraw(5))
    .then();
  given(t, source, created, accepted(2, level(1)), withdrawn)
    .when(accept(6, level(1)))
    .then(accepted(6, level(1)));
  const many = Array.from({ length: acceptedMax }, (_, n) => accepted(100 + n, level(n + 1)));
  given(t, source, created, ...many)
    .when(accept(7, level(99)))
    .rejects('incidentTransition');
});

t.test('one more than the most names steps that make room: new models keep changes of level and clock', t => {
  const full = Array.from({ length: acceptedMax }, (_, n) => level(n + 1));
  const state = { accepted: full, requests: emptyKeyed };
  t.throws(() => decideAcceptance(accept(7, level(99)), state), {
    message:
      'got accepted change 21 of the source, expected at most 20: withdraw one, or learn the source again',
  });
  t.end();
});

t.test('changes of other incidents stay as they are', async t => {
  const both = given(t, source, created, accepted(2, level(2)), accepted(4, level(1)));
  both.when(withdraw(3)).then(withdrawn);
  given(t, source, created, accepted(2, level(2)))
    .when(withdraw(3))
    .then();
  given(t, source, created, accepted(2, level(2)), accepted(4, level(1)), withdrawn)
    .when(accept(5, level(2)))
    .rejects('incidentTransition');
  given(t, source, created, accepted(2, level(2)))
    .when(accept(4, level(1)))
    .then(accepted(4, level(1)));
});

t.test('new models end what is bound to the old ones', async t => {
  const shape: AcceptedChange = {
    ...level(1),
    type: 'shape',
    size: 0.4,
    values: [1, 2, 3, 4],
    modelIds: [1],
  };
  const models: SourceEvent = {
    type: 'ModelsReplaced',
    data: { requestId: id(8), modelsVersion: 1, engine: 'a', models: [], assignments: [] },
  };
  given(t, source, created, accepted(2, level(1)), models)
    .when(withdraw(3))
    .then(withdrawn);
  given(t, source, created, accepted(2, shape), models).when(withdraw(3)).then();
});
