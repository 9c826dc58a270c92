import { unbroken } from '../../../domain/percent.js';
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

/** The French sentence, in small letters after the name of the source; messages of older versions have none. */
const sentenceOf = ({ sentence, sentences }: MailAlert): string => {
  const french = sentences?.fr;
  return french === undefined ? sentence : french.charAt(0).toLowerCase() + french.slice(1);
};

/** French texts. The sentence of an alert is that of the API. */
export const fr: MailTexts = {
  tag: 'fr',
  date: dateIn('fr-FR'),
  alert: (source, alert, change) => `${changes[change]}${source}\u00a0: ${unbroken(sentenceOf(alert))}`,
  detail: (date, criticity) => `${date}, criticité ${String(criticity).replace('.', ',')}.`,
  newModels: source => `${source}\u00a0: nouveaux modèles`,
  newModelsDetail: 'La référence a été analysée.',
  analysisFailed: source => `${source}\u00a0: l’analyse a échoué`,
  analysisFailedDetail: reason =>
    `Les modèles existants de la source restent en vigueur. Motif, en anglais\u00a0: «\u00a0${reason}\u00a0»`,
  test: 'Message de test de Daybook',
  testDetail: 'Les courriels à cette adresse arrivent.',
  testArrived: 'Les messages à ce destinataire arrivent.',
  digest: (count, first) => `${count} messages\u00a0: ${first}`,
  more: count => `… et ${count} de plus`,
  pictureKey:
    'Ligne noire\u00a0: la journée. Bande bleue et tirets\u00a0: ses limites et les valeurs attendues. Zone rouge et tirets rouges\u00a0: les limites dépassées. Lignes grises\u00a0: les jours précédents.',
  pictureText: title => `Graphique de la journée\u00a0: ${title}`,
  open: 'Ouvrir dans Daybook',
  footer: webhookId =>
    `Daybook envoie ce courriel pour le webhook ${webhookId}. ` +
    'Pour ne plus en recevoir, demandez aux responsables de Daybook de désactiver ou de supprimer ce webhook.',
};
