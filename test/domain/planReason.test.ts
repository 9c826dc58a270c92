import t from 'tap';
import { reasonOf, type ReasonFacts } from '../../domain/planning/planReason.js';

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
    'no reference Tuesdays around 5 Mar; "on" is the model of similar days in other seasons',
    'aucun des mardis de référence autour du 5 mars ; « marche » est le modèle des jours semblables d’autres saisons',
  ]);
  t.strictSame(said({ otherwise: 'none' }), [
    'no reference day is similar; "on" is the first of the models',
    'aucun jour de référence n’est semblable ; « marche » est le premier des modèles',
  ]);
  const three = '3 of the 8 reference Tuesdays around 5 Mar follow "on"';
  const trois = '3 sur 8 mardis de référence autour du 5 mars suivent « marche »';
  t.strictSame(said({}), [three, trois]);
  t.strictSame(said({ support: 'more' }), [
    `${three}, more than any other model`,
    `${trois}, plus que tout autre modèle`,
  ]);
  t.strictSame(said({ support: 'mean' }), [
    `${three}; on average these days are nearest to it`,
    `${trois} ; en moyenne, ces jours en sont les plus proches`,
  ]);
  t.strictSame(said({ support: 'others' }), [
    `${three}; other similar days count more`,
    `${trois} ; d’autres jours semblables pèsent davantage`,
  ]);
  const one = said({ counted: { following: 1, of: 8 } })[1];
  t.equal(one, '1 sur 8 mardis de référence autour du 5 mars suit « marche »');
});
