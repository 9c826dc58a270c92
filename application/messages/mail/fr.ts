import { percentMax } from '../../../domain/alerts/alertSentence.js';
import { percent as percentText, unbroken } from '../../../domain/percent.js';
import { numberSuffix } from '../../../domain/source/sourceDescription.js';
import type { MailAlert } from './mailEvents.js';
import { dateIn, type Change, type MailTexts } from './mailTexts.js';

/** Words before the sentence of an alert. */
const changes: Readonly<Record<Change, string>> = {
  raised: '',
  acknowledged: 'Prise en compte\u00a0: ',
  reopened: 'Rouverte\u00a0: ',
  resolved: 'Résolue\u00a0: ',
  invalidated: 'Alerte retirée\u00a0: ',
  ended: 'Terminée\u00a0: ',
};

const number = new Intl.NumberFormat('fr-FR', { maximumSignificantDigits: 3 });

/** Amount and time of a deviation: `34 % de moins que prévu, de 08:00 à 20:00`. */
const deviationText = ({ deviation }: MailAlert): string | undefined => {
  if (!deviation) return undefined;
  const { percent, absolute, actual, expected, fromTime, toTime } = deviation;
  const suffix = numberSuffix(deviation);
  const amount =
    percent === null || Math.abs(percent) >= percentMax
      ? `${number.format(actual)}${suffix} au lieu de ${number.format(expected)}${suffix}`
      : `${unbroken(percentText(Math.max(1, Math.round(Math.abs(percent))) / 100))} de ${absolute < 0 ? 'moins' : 'plus'} que prévu`;
  const wholeDay = fromTime === '00:00' && toTime === '24:00';
  return `${amount}${wholeDay ? ' toute la journée' : ` de ${fromTime} à ${toTime}`}`;
};

const sentenceOf = (alert: MailAlert): string => {
  const deviation = deviationText(alert);
  switch (alert.kind) {
    case 'activity':
      return deviation ?? 'la journée dépasse les limites de son modèle';
    case 'drift':
      return `le niveau a changé, comme les jours précédents${deviation === undefined ? '' : `\u00a0: ${deviation}`}`;
    case 'gap':
      return alert.gap
        ? `aucune donnée de ${alert.gap.fromTime} à ${alert.gap.toTime}, plus longtemps que tout jour de référence de ce type`
        : 'trop peu de données ce jour-là';
    case 'frozen':
      return 'la même valeur pendant plus longtemps que tout jour de référence';
    case 'noData':
      return 'plus aucune donnée n’arrive';
  }
};

/** French texts. The sentence of an alert has the numbers of its main stretch. */
export const fr: MailTexts = {
  tag: 'fr',
  date: dateIn('fr-FR'),
  alert: (source, alert, change) => `${changes[change]}${source}\u00a0: ${sentenceOf(alert)}`,
  detail: (date, criticity) => `${date}, criticité ${String(criticity).replace('.', ',')}.`,
  newModels: source => `${source}\u00a0: nouveaux modèles`,
  newModelsDetail: 'La référence a été analysée.',
  analysisFailed: source => `${source}\u00a0: l’analyse a échoué`,
  analysisFailedDetail: reason =>
    `Les modèles existants de la source restent en vigueur. Motif, en anglais\u00a0: «\u00a0${reason}\u00a0»`,
  test: 'Message de test de Daybook',
  testDetail: 'Les courriels à cette adresse arrivent.',
  digest: (count, first) => `${count} messages\u00a0: ${first}`,
  pictureKey:
    'Ligne noire\u00a0: la journée. Bande bleue et tirets\u00a0: ses limites et les valeurs attendues. Zone rouge et tirets rouges\u00a0: les limites dépassées. Lignes grises\u00a0: les jours précédents.',
  pictureText: title => `Graphique de la journée\u00a0: ${title}`,
  open: 'Ouvrir dans Daybook',
  footer: webhookId =>
    `Daybook envoie ce courriel pour le webhook ${webhookId}. ` +
    'Pour ne plus en recevoir, demandez aux responsables de Daybook de désactiver ou de supprimer ce webhook.',
};
