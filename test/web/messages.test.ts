// What the service says in English has a text in French on the screens, by its code.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { problemTypes } from '../../adapters/http/problemTypes.js';
import { warningCodes } from '../../application/requests/imports/cures.js';
import { repositoryRoot } from '../helpers/repository.js';

type French = {
  readonly alerts: { readonly failed: (error: Error) => string };
  readonly service: {
    readonly problems: Readonly<Record<string, string>>;
    readonly warnings: Readonly<Record<string, { readonly seen: string; readonly cure: string }>>;
  };
};

const folder = join(repositoryRoot(), 'build', 'web', 'assets');
const file = readdirSync(folder).find(name => /^fr-.*\.js$/.test(name)) ?? '';
const { fr } = (await import(pathToFileURL(join(folder, file)).href)) as { readonly fr: French };

t.test('each code of a problem and of a warning has one, and no other code', async t => {
  const { problems, warnings } = fr.service;
  t.strictSame(Object.keys(problems).sort(), Object.keys(problemTypes).sort());
  t.strictSame(Object.keys(warnings).sort(), [...warningCodes].sort());
  const texts = [...Object.values(problems), ...Object.values(warnings).flatMap(one => [one.seen, one.cure])];
  t.strictSame(
    texts.filter(text => !/^\p{Lu}.*\.$/u.test(text) || /[^\u00a0][:;!?»]/.test(text)),
    [],
    'whole sentences, with no-break spaces before signs',
  );
});

t.test(
  'a refused action is told in French, and in the words of the service when its code is not known',
  async t => {
    const refusal = (code: string) => Object.assign(new Error('got 3, expected 2'), { code });
    t.equal(
      fr.alerts.failed(refusal('overtaken')),
      `L’action n’a pas été faite. ${fr.service.problems['overtaken']}`,
    );
    t.equal(fr.alerts.failed(refusal('newerCode')), 'L’action n’a pas été faite\u00a0: got 3, expected 2');
  },
);
