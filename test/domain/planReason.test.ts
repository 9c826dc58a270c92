import t from 'tap';
import { reasonOf, type ReasonFacts } from '../../domain/planning/planTexts.js';

t.test('reasons in words, in both languages', async t => {
  const said = (facts: Partial<ReasonFacts>): readonly (string | undefined)[] => {
    const { reason, reasons } = reasonOf({
      ...{ date: '2024-03-05', kind: { type: 'ordinary' }, days: { by: 'weekday', weekday: 1 } },
      ...{ model: { name: 'on', names: { fr: 'marche' } }, counted: { following: 3, of: 8 } },
      ...facts,
    });
    return [reason, reasons.fr?.replaceAll('\u00a0', ' ')];
  };
  t.strictSame(said({ otherwise: 'otherSeasons' }), [
    'there are no reference Tuesdays around 5 Mar; "on" is the model of similar days in other seasons',
    'il n’y a pas de mardis de référence autour du 5 mars ; « marche » est le modèle des jours semblables d’autres saisons',
  ]);
  t.strictSame(said({ otherwise: 'none' }), [
    'no reference day is similar; "on" is the first of the models',
    'aucun jour de référence n’est semblable ; « marche » est le premier des modèles',
  ]);
  const three = '3 of the 8 reference Tuesdays around 5 Mar follow "on"';
  const trois = '3 des 8 mardis de référence autour du 5 mars suivent « marche »';
  t.strictSame(said({}), [three, trois]);
  t.strictSame(said({ support: 'more' }), [
    `${three}, more than any other model`,
    `${trois}, plus que tout autre modèle`,
  ]);
  t.strictSame(said({ support: 'mean' }), [
    '"on" is nearest to the average of the 8 reference Tuesdays around 5 Mar, of which 3 follow it',
    '« marche » est le plus proche de la moyenne des 8 mardis de référence autour du 5 mars, dont 3 le suivent',
  ]);
  t.strictSame(said({ support: 'others' }), [
    'other similar days decide for "on"; of the 8 reference Tuesdays around 5 Mar 3 follow it',
    'd’autres jours semblables décident pour « marche » ; des 8 mardis de référence autour du 5 mars, 3 le suivent',
  ]);
  t.strictSame(said({ support: 'others', counted: { following: 0, of: 8 } }), [
    'other similar days decide for "on"; of the 8 reference Tuesdays around 5 Mar none follows it',
    'd’autres jours semblables décident pour « marche » ; des 8 mardis de référence autour du 5 mars, aucun ne le suit',
  ]);
  t.strictSame(said({ support: 'mean', counted: { following: 0, of: 1 } }), [
    'other similar days decide for "on", the only reference Tuesday around 5 Mar does not follow it',
    'd’autres jours semblables décident pour « marche », le seul mardi de référence autour du 5 mars ne le suit pas',
  ]);
  t.strictSame(said({ counted: { following: 1, of: 1 } }), [
    'the only reference Tuesday around 5 Mar follows "on"',
    'le seul mardi de référence autour du 5 mars suit « marche »',
  ]);
  t.strictSame(said({ counted: { following: 8, of: 8 } }), [
    'all 8 reference Tuesdays around 5 Mar follow "on"',
    'tous les 8 mardis de référence autour du 5 mars suivent « marche »',
  ]);
  const one = said({ counted: { following: 1, of: 8 } })[1];
  t.equal(one, '1 des 8 mardis de référence autour du 5 mars suit « marche »');
});
