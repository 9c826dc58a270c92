import t from 'tap';
import type { AcceptedChange } from '../../domain/source/acceptedChanges.js';
import { holding, lived } from '../helpers/data/sourceHistory.js';
import { id } from '../helpers/data/samples.js';

t.test('the steps of an incident are the acceptances of its changes and their withdrawals', async t => {
  const { events, add } = lived();
  const change: AcceptedChange = { incidentId: 'i', type: 'level', size: 0.2, from: '2024-03-05' };
  const values = { ...change, incidentId: 'j', values: [1, 2] };
  add('source-1', { type: 'ChangeAccepted', data: { requestId: id(1), change } });
  add('source-1', { type: 'ChangeAccepted', data: { requestId: id(2), change: values } });
  add('source-1', {
    type: 'ChangeWithdrawn',
    data: { requestId: id(3), incidentId: 'i', from: change.from },
  });
  const { db, models } = holding(events);
  const { acceptedChanges } = models;
  const steps = acceptedChanges.steps('i').map(step => [step.type, step.change, step.eventId]);
  const [accepted, other, withdrawn] = events.slice(-3);
  t.strictSame(steps, [
    ['ChangeAccepted', change, accepted?.id],
    ['ChangeWithdrawn', change, withdrawn?.id],
  ]);
  const { values: _, ...shown } = values;
  const [step, ...more] = acceptedChanges.steps('j');
  t.match(step, { type: 'ChangeAccepted', change: shown, eventId: other?.id, sourceId: 1, by: 'anna' });
  t.strictSame([step?.change.values, more], [undefined, []], 'values are not part of a step');
  t.strictSame([acceptedChanges.ofIncident('i'), acceptedChanges.ofSource(1)], [[], [values]]);
  db.close();
});
