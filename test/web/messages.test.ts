// English texts of the service have a text in French on the screens, by their codes.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { problemTypes } from '../../adapters/http/problemTypes.js';
import { warningCodes } from '../../application/requests/imports/importWarnings.js';
import { repositoryRoot } from '../helpers/repository.js';

type French = {
  readonly models: { readonly evidence: (text: string) => string };
  readonly explained: Readonly<Record<'used' | 'notUsed', (reason: string) => string>>;
  readonly alerts: Readonly<Record<'failed' | 'unknown', (error: Error) => string>>;
  readonly service: {
    readonly problems: Readonly<Record<string, string>>;
    readonly warnings: Readonly<Record<string, { readonly seen: string; readonly cure: string }>>;
  };
};

const folder = join(repositoryRoot(), 'build', 'web', 'assets');
const file = readdirSync(folder).find(name => /^fr-.*\.js$/.test(name)) ?? '';
const { fr } = (await import(pathToFileURL(join(folder, file)).href)) as { readonly fr: French };

t.test('each code of a problem, of the client and of a warning has one, and no other code', async t => {
  const { problems, warnings } = fr.service;
  t.strictSame(Object.keys(problems).sort(), [...Object.keys(problemTypes), 'unreachable'].sort());
  t.strictSame(Object.keys(warnings).sort(), [...warningCodes].sort());
  const texts = [...Object.values(problems), ...Object.values(warnings).flatMap(one => [one.seen, one.cure])];
  t.strictSame(
    texts.filter(text => !/^\p{Lu}.*\.$/u.test(text) || /[^\u00a0][:;!?»]/.test(text)),
    [],
    'whole sentences, with no-break spaces before signs',
  );
});

t.test('a refusal has a French text; one with an unknown code has the text of the service', async t => {
  const refusal = (code: string) => Object.assign(new Error('got 3, expected 2'), { code });
  t.equal(
    fr.alerts.failed(refusal('overtaken')),
    `L’action n’a pas été faite. ${fr.service.problems['overtaken']}`,
  );
  t.equal(fr.alerts.failed(refusal('newerCode')), 'L’action n’a pas été faite\u00a0: got 3, expected 2');
  t.equal(
    fr.alerts.unknown(refusal('unreachable')),
    `On ne sait pas si l’action a été faite. ${fr.service.problems['unreachable']}`,
  );
  const faulty = (code: string) =>
    Object.assign(refusal('badRequest'), { errors: [{ code, detail: 'got 1, expected 0' }] });
  t.match(fr.alerts.failed(faulty('lateness')), /\(Ce retard n’est pas permis\.\)$/, 'with its first fault');
  t.match(fr.alerts.failed(faulty('newerCode')), /\(got 1, expected 0\)$/);
});

t.test(
  'what learning says about a source that explains another one is in French with its numbers',
  async t => {
    const { used, notUsed } = fr.explained;
    t.equal(
      used('the error on held-out days falls by 12.3\u00a0%'),
      'Utilisée\u00a0: l’erreur sur les jours mis de côté baisse de 12,3\u00a0%',
    );
    t.strictSame(
      [
        'it is archived',
        'it has the same value on all reference days',
        'it has a value on 41 of 120 ordinary reference days, expected at least 60',
        'the error on held-out days grows by 0.4\u00a0%, expected a fall of at least 2.0\u00a0%',
        'the error on held-out days falls by 0.4\u00a0%, expected a fall of at least 2.0\u00a0%',
        'the error falls in 50.0\u00a0% of the held-out blocks, expected at least 60.0\u00a0%',
        'another form',
      ].map(notUsed),
      [
        'elle est archivée',
        'elle a la même valeur tous les jours de référence',
        'elle n’a une valeur que sur 41 des 120 jours de référence ordinaires, au lieu d’au moins 60',
        'l’erreur sur les jours mis de côté augmente de 0,4\u00a0%, au lieu de baisser d’au moins 2,0\u00a0%',
        'l’erreur sur les jours mis de côté ne baisse que de 0,4\u00a0%, au lieu d’au moins 2,0\u00a0%',
        'l’erreur ne baisse que dans 50,0\u00a0% des blocs mis de côté, au lieu d’au moins 60,0\u00a0%',
        'another form',
      ].map(reason => `Non utilisée\u00a0: ${reason}`),
    );
  },
);

t.test('the reason for a calendar is in French with its numbers', async t => {
  const given =
    '9 of the 11 weekday holidays of France are among the 31 oddest of 262 working days; by chance 1.3 would be';
  t.equal(
    fr.models.evidence(given),
    '9 de ses 11 jours fériés en semaine sont parmi les 31 jours ouvrés les plus inhabituels sur 262\u00a0; ' +
      'le hasard en donnerait 1,3',
  );
  t.equal(fr.models.evidence('another form'), 'another form');
});
