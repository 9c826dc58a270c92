import { dayNumber, weekday } from '../../dates.js';
import type { PlannedAs } from '../findings.js';
import type { SentenceTexts } from './sentenceTexts.js';

const weekdays = ['lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi', 'dimanche'] as const;

/** The expected day without its article, always of masculine gender. */
const usualDay = (date: string, { origin, type, name }: PlannedAs): string => {
  if (origin === 'manual') return 'modèle prévu à la main';
  switch (type) {
    case 'ordinary':
      return `${weekdays[weekday(dayNumber(date))] ?? 'jour'} habituel`;
    case 'holiday':
      return 'jour férié habituel';
    case 'bridge':
      return 'jour de pont habituel';
    case 'christmas':
      return 'jour habituel autour de Noël';
    case 'special':
      return `jour spécial habituel «\u00a0${name ?? ''}\u00a0»`;
  }
};

const units = { day: 'jour', hour: 'heure', minute: 'minute' } as const;

/** Words of the sentences of alerts in French, with no-break spaces where a line must not end. */
export const fr: SentenceTexts = {
  language: 'fr',
  decimal: number => number.replace('.', ','),
  list: parts => parts.join(' et '),
  usual: (date, planned) => (planned ? usualDay(date, planned) : 'modèle prévu'),
  atLevelBefore: usual => `${usual} au niveau des jours précédents`,
  atLevelOfDay: usual => `${usual} au niveau de cette journée`,
  share: (percent, side, usual) => `${percent} ${side === 'over' ? 'au-dessus' : 'au-dessous'} du ${usual}`,
  instead: (actual, expected, usual) => `${actual} au lieu de ${expected}, le niveau du ${usual},`,
  allDay: ' toute la journée',
  stretch: (from, to) => ` de ${from} à ${to}`,
  since: from => ` depuis ${from}, toujours en cours`,
  others: (count, since) =>
    `, et hors des limites dans ${count} ${count === 1 ? 'autre intervalle' : 'autres intervalles'}` +
    (since === undefined ? '' : `, le dernier depuis ${since}, toujours en cours`),
  over: to => (to === undefined ? ', normal depuis' : `, normal depuis ${to}`),
  drift: deviation =>
    `Le niveau a changé, comme les jours précédents${deviation === undefined ? '' : `\u00a0: ${deviation}`}`,
  outside: 'La journée dépasse les limites de son modèle prévu',
  shape: difference => `Le profil de la journée ne ressemble à aucun jour de référence\u00a0: ${difference}`,
  shapeToo: difference => `\u00a0; son profil ne ressemble à aucun jour de référence\u00a0: ${difference}`,
  clock: (duration, isLater) => `${duration} ${isLater ? 'de retard' : 'd’avance'}`,
  noise: 'il monte et descend d’un intervalle à l’autre',
  repeated: (value, when) => `la même valeur ${value}${when}`,
  gap: when => `Aucune donnée${when}, plus longtemps que tout jour de référence de ce type`,
  rest: deviation => `\u00a0; le reste est ${deviation}`,
  observed: (day, usual) => `${day} de la journée ont été observés, ${usual} des jours de référence`,
  lessThanHalf: 'Moins de la moitié de la part habituelle de la journée a été observée',
  noDay: 'Aucune donnée ce jour-là',
  frozen: (value, when) =>
    `La même valeur${value === undefined ? '' : ` ${value}`}${when}, plus longtemps que tout jour de référence`,
  onDate: date => ` le ${date}`,
  duration: parts =>
    parts.map(([count, unit]) => `${count} ${units[unit]}${count === 1 ? '' : 's'}`).join(' '),
  silence: ({ since, within, origin, lastDate }) =>
    `Aucune donnée depuis le ${since} UTC, ${origin === 'given' ? '' : 'habituellement '}attendue sous ${within}\u00a0; ` +
    (lastDate === null ? 'aucune n’est encore venue' : `le dernier jour est le ${lastDate}`),
  explained: (change, values) => `attendu ${change} pour ${values}`,
  notAdjusted: names => `non ajusté à ${names}, sans valeur`,
};
