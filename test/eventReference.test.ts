import t from 'tap';
import { eventVersions } from '../domain/events.js';
import { eventReference } from './helpers/documents/eventReference.js';
import { sectionOf, textOf } from './helpers/documents/markdown.js';

t.test('docs/events.md equals the output of npm run docs:events', async t => {
  const text = textOf('docs/events.md');
  t.equal(text, await eventReference());
  for (const type of Object.keys(eventVersions)) {
    const section = sectionOf(text, type);
    t.match(section, /\n\| `/, `${type} has fields`);
    t.match(section, /"type": /, `${type} has an example`);
  }
});
