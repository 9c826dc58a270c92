import { dayNumber, month } from '../../dates.js';
import { percent } from '../../percent.js';
import { isOfWeeks, type CycleEvidence, type CycleOfDays, type MonthDay } from '../dayCycles.js';
import type { CountedDays, ReasonTexts } from './reasonTexts.js';

const weekdays = ['lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi', 'dimanche'] as const;
const months = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(
  ' ',
);

const dayOf = (date: string): string => {
  const day = Number(date.slice(8));
  return `${day === 1 ? '1er' : day} ${months[month(dayNumber(date))]}`;
};

const ordinals = ['premier', 'deuxième', 'troisième', 'quatrième'] as const;
const last = ['dernier', 'avant-dernier', 'antépénultième'] as const;

/** A date of the month in words, without an article. */
const monthDayName = ({ counts, place, weekday = 0 }: MonthDay): string => {
  const day = counts === 'days' ? 'jour' : counts === 'workingDays' ? 'jour ouvré' : weekdays[weekday];
  if (place > ordinals.length) return `${day} ${place} du mois`;
  return `${place > 0 ? ordinals[place - 1] : last[-place - 1]} ${day} du mois`;
};

/** Place of a date in a cycle of days. */
const placeName = (phase: number, { length, first }: CycleOfDays): string =>
  isOfWeeks({ length })
    ? `${weekdays[phase % 7]} de la semaine ${Math.floor(phase / 7) + 1} sur ${length / 7}, comptée depuis le ${first}`
    : `jour ${phase + 1} du cycle de ${length} jours`;

const noun = (days: CountedDays): string => {
  switch (days.by) {
    case 'weekday':
      return `${weekdays[days.weekday]}s de référence`;
    case 'phase':
      return 'jours de référence à cette place';
    case 'monthDay':
      return 'jours de référence de ce type';
    case 'holiday':
      return 'jours fériés de référence';
    case 'bridge':
      return 'jours de pont de référence';
    case 'name':
      return 'jours de référence de ce nom';
    case 'christmas':
      return `${days.isWorking ? 'jours ouvrés' : 'jours de week-end'} de référence autour de Noël`;
  }
};

const quoted = (name: string): string => `«\u00a0${name}\u00a0»`;

const found = ({ errorReduction, better, of }: CycleEvidence, what: string): string =>
  `un plan qui le suit s’écarte de ${percent(errorReduction)} de moins des jours de référence mis de côté qu’un plan par jours de la semaine, sur ${better} des ${of} ${what}`;

/** Words of reasons and cycles in French, with no-break spaces where a line must not end. */
export const fr: ReasonTexts = {
  intro: kind => {
    switch (kind.type) {
      case 'ordinary':
        return '';
      case 'phase':
        return `${placeName(kind.phase, kind.cycle)}\u00a0: `;
      case 'monthDay':
        return `${monthDayName(kind.monthDay)}\u00a0: `;
      case 'holiday':
        return `jour férié ${kind.name}\u00a0: `;
      case 'bridge':
        return 'jour de pont\u00a0: ';
      case 'christmas':
        return 'autour de Noël\u00a0: ';
      case 'special':
        return `jour spécial ${quoted(kind.name)}\u00a0: `;
    }
  },
  follows: ({ following, of }, days, model) =>
    `${following} sur ${of} ${days} ${following < 2 ? 'suit' : 'suivent'} ${quoted(model)}`,
  days: (days, date) =>
    days.by === 'weekday' || days.by === 'phase' ? `${noun(days)} autour du ${dayOf(date)}` : noun(days),
  nearer: (nearer, days, date) =>
    nearer.by === 'name'
      ? noun({ by: 'name' })
      : `${noun(days)} à ${nearer.days} jours au plus du ${dayOf(date)}`,
  ofAll: ({ following, of }, days) =>
    `, et ${following} sur ${of} ${days.by === 'holiday' ? 'de tous les jours fériés' : 'de toute sa saison'}`,
  support: {
    more: ', plus que tout autre modèle',
    mean: '\u00a0; en moyenne, ces jours en sont les plus proches',
    others: '\u00a0; d’autres jours semblables pèsent davantage',
  },
  otherwise: (which, days, model) =>
    which === 'otherSeasons'
      ? `aucun des ${days}\u00a0; ${quoted(model)} est le modèle des jours semblables d’autres saisons`
      : `aucun jour de référence n’est semblable\u00a0; ${quoted(model)} est le premier des modèles`,
  unknownHolidays: (from, to) =>
    `\u00a0; ses jours fériés ne sont pas connus, le calendrier va de ${from} à ${to}`,
  noModel: 'aucun modèle ne peut être prévu\u00a0: il n’y en a pas, ou tous sont des anomalies',
  noModels: 'la source n’a pas encore de modèles',
  setBy: (model, by, earlier) =>
    `fixé à ${quoted(model)} par ${by}${earlier === null ? '' : `, qui avait choisi ${quoted(earlier)} parmi les modèles précédents`}`,
  cycle: cycle => {
    if (cycle.kind === 'monthDay')
      return `Jour à part, ${monthDayName(cycle)}\u00a0: ${found(cycle.evidence, 'dates')}`;
    const { length, weekdays: own, evidence } = cycle;
    const days = (own ?? []).map(day => `${weekdays[day]}s`);
    const names = days.length < 2 ? days.join('') : `${days.slice(0, -1).join(', ')} et ${days.at(-1)}`;
    const what = own
      ? `Les ${names} se répètent toutes les ${length / 7} semaines`
      : `Les jours se répètent selon un cycle de ${length} jours`;
    return `${what}\u00a0: ${found(evidence, 'mois ou quinzaines')}`;
  },
};
