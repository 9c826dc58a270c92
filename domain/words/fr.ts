import { dayNumber, month, weekday } from '../dates.js';
import { percent, unbroken } from '../text.js';
import type { PlannedAs } from '../alerts/findings.js';
import {
  datePartsOf,
  isNear,
  type ExpectedDay,
  type MessageChange,
  type CountedDays,
} from './sentenceTexts.js';
import { isOfWeeks, type CycleEvidence, type CycleOfDays, type MonthDay } from '../planning/dayCycles.js';
import type { SentenceTexts } from './en.js';

const weekdays = ['lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi', 'dimanche'] as const;

/** The kind of a planned day around its adjective, always of masculine gender. */
const kindOfDay = (date: string, { type, name, place }: PlannedAs, adjective: string): string => {
  if (place)
    return 'monthDay' in place ? monthDayName(place.monthDay, adjective) : dayOfCycle(place, adjective);
  switch (type) {
    case 'ordinary':
      return `${weekdays[weekday(dayNumber(date))] ?? 'jour'}${adjective}`;
    case 'holiday':
      return `jour férié${adjective}`;
    case 'bridge':
      return `jour de pont${adjective}`;
    case 'christmas':
      return `jour${adjective} autour de Noël`;
    case 'special':
      return `jour spécial${adjective} «\u00a0${name ?? ''}\u00a0»`;
  }
};

const daysBefore = 'ce que les jours précédents annoncent';

/** The expected day, behind `of` or `the` of the language. */
const expectedDay = (
  { date, planned, comparedWith }: ExpectedDay,
  { of, the }: { readonly of: string; readonly the: string },
): string => {
  const isUsual = planned !== undefined && planned.origin !== 'manual';
  if (comparedWith === 'daysBefore')
    return `${of}${daysBefore} pour ce ${isUsual ? kindOfDay(date, planned, '') : 'jour'}`;
  const model = planned ? 'modèle prévu à la main' : 'modèle prévu';
  const noun = isUsual ? kindOfDay(date, planned, ' habituel') : model;
  const usual = noun.startsWith('a') ? `${of}l’${noun}` : `${the} ${noun}`;
  return comparedWith === 'dayLevel' ? `${usual} au niveau de cette journée` : usual;
};

const behindOf = { of: 'de ', the: 'du' } as const;
const behindThe = { of: '', the: 'le' } as const;

const units = { day: 'jour', hour: 'heure', minute: 'minute' } as const;

const months = 'janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.'.split(' ');

/** Words before the sentence of an alert. */
const changes: Readonly<Record<MessageChange, string>> = {
  raised: '',
  acknowledged: 'Prise en compte\u00a0: ',
  reopened: 'Rouverte\u00a0: ',
  resolved: 'Résolue\u00a0: ',
  invalidated: 'Alerte retirée\u00a0: ',
  ended: 'Terminée\u00a0: ',
  merged: 'Désormais dans un autre incident\u00a0: ',
};

const fullMonths =
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');

const firstOfMonth = '1er';
const dayNumberText = (day: number): string => (day === 1 ? firstOfMonth : String(day));

const dateOf = (date: string): string => {
  const { year, month, day } = datePartsOf(date);
  return `${dayNumberText(day)} ${months[month]} ${year}`;
};

const dayOf = (date: string): string =>
  `${dayNumberText(Number(date.slice(8)))} ${fullMonths[month(dayNumber(date))]}`;

const ordinals = ['premier', 'deuxième', 'troisième', 'quatrième'] as const;
const last = ['dernier', 'avant-dernier', 'antépénultième'] as const;

/** A date of the month in words, without an article. */
const monthDayName = ({ counts, place, weekday = 0 }: MonthDay, adjective = ''): string => {
  const plain = counts === 'days' ? 'jour' : counts === 'workingDays' ? 'jour ouvré' : weekdays[weekday];
  const day = `${plain}${adjective}`;
  if (place > ordinals.length) return `${day} ${place} du mois`;
  return `${place > 0 ? ordinals[place - 1] : last[-place - 1]} ${day} du mois`;
};

/** Day of a cycle, from 0, without its begin. */
const dayOfCycle = (
  { phase, length }: { readonly phase: number; readonly length: number },
  adjective = '',
): string =>
  isOfWeeks({ length })
    ? `${weekdays[phase % 7]}${adjective} de la semaine ${Math.floor(phase / 7) + 1} sur ${length / 7}`
    : `jour${adjective} ${phase + 1} sur ${length}`;

/** Place of a date in a cycle of days. */
const placeName = (phase: number, { length, first }: CycleOfDays): string =>
  isOfWeeks({ length })
    ? `${dayOfCycle({ phase, length })}, comptée depuis le ${dateOf(first)}`
    : `jour ${phase + 1} du cycle de ${length} jours`;

const noun = (days: CountedDays, isOne: boolean): string => {
  const s = isOne ? '' : 's';
  switch (days.by) {
    case 'weekday':
      return `${weekdays[days.weekday]}${s} de référence`;
    case 'phase':
      return `jour${s} de référence à cette place`;
    case 'monthDay':
      return `jour${s} de référence de ce type`;
    case 'holiday':
      return `jour${s} férié${s} de référence`;
    case 'bridge':
      return `jour${s} de pont de référence`;
    case 'name':
      return `jour${s} de référence de ce nom`;
    case 'christmas':
      return `jour${s} ${days.isWorking ? `ouvré${s}` : 'de week-end'} de référence autour de Noël`;
  }
};

const quoted = (name: string): string => `«\u00a0${name}\u00a0»`;

const found = ({ errorReduction, better, of }: CycleEvidence, what: string): string =>
  `un plan qui le suit s’écarte de ${percent(errorReduction)} de moins des jours de référence mis de côté qu’un plan par jours de la semaine, sur ${better} des ${of} ${what}`;

/** All words of the service in French, with no-break spaces where a line must not end. */
export const fr: SentenceTexts = {
  locale: 'fr-FR',
  firstOfMonth,
  decimal: number => number.replace('.', ','),
  list: parts => parts.join(' et '),
  share: (percent, side, expected) =>
    `${percent} ${side === 'over' ? 'au-dessus' : 'au-dessous'} ${expectedDay(expected, behindOf)}`,
  times: (number, expected) => `${number} fois ${expectedDay(expected, behindThe)}`,
  instead: (actual, value, expected) =>
    expected.comparedWith === 'daysBefore'
      ? `${actual} au lieu de ${value} d’après les jours précédents`
      : `${actual} au lieu de ${value} pour ${expectedDay(expected, behindThe)}`,
  allDay: ' toute la journée',
  restOfDay: ' le reste de la journée',
  stretch: (from, to) => ` de ${from} à ${to}`,
  since: from => ` depuis ${from}, toujours en cours`,
  others: (count, since) =>
    `, et inhabituel dans ${count} ${count === 1 ? 'autre intervalle' : 'autres intervalles'}` +
    (since === undefined ? '' : `, le dernier depuis ${since}, toujours en cours`),
  over: (to, isNormal) =>
    (isNormal ? ', normal depuis' : ', sans données depuis') + (to === undefined ? '' : ` ${to}`),
  drift: deviation =>
    `Le niveau est différent depuis des jours${deviation === undefined ? '' : `\u00a0: ${deviation}`}`,
  outside: 'La journée dépasse les limites de son modèle prévu',
  shape: deviation => `Le profil de la journée ne ressemble à aucun jour comparable\u00a0: ${deviation}`,
  unlike: name => `${name.charAt(0).toUpperCase()}${name.slice(1)}, contrairement à tout jour comparable`,
  also: name => `\u00a0; ${name}`,
  clock: (duration, isLater) => `le profil de la journée a ${duration} ${isLater ? 'de retard' : 'd’avance'}`,
  noise: 'la journée monte et descend d’un intervalle à l’autre',
  repeated: (value, when) => `la même valeur ${value}${when}`,
  gap: when => `Aucune donnée${when}, plus longtemps que tout jour comparable`,
  rest: deviation => `\u00a0; et aussi ${deviation}`,
  observed: (day, usual) => `${day} de la journée ont été observés, ${usual} des jours de référence`,
  lessThanHalf: 'Moins de la moitié de la part habituelle de la journée a été observée',
  noDay: 'Aucune donnée ce jour-là',
  frozen: (value, when) =>
    `La même valeur${value === undefined ? '' : ` ${value}`}${when}, plus longtemps que toute valeur au-dessus de la plus basse un jour de référence`,
  frozenSoFar: (value, when) =>
    `La même valeur${value === undefined ? '' : ` ${value}`}${when}, plus longtemps que tout jour des quatre semaines précédentes`,
  onDate: date => ` le ${dateOf(date)}`,
  duration: parts =>
    parts.map(([count, unit]) => `${count} ${units[unit]}${count === 1 ? '' : 's'}`).join(' '),
  silence: ({ since, within, origin, lastDate }) =>
    `Aucune donnée depuis le ${dateOf(since.slice(0, 10))} à ${since.slice(11)} UTC, ${origin === 'given' ? '' : 'habituellement '}attendue sous ${within}\u00a0; ` +
    (lastDate === null ? 'aucune n’est encore venue' : `le dernier jour est le ${dateOf(lastDate)}`),
  explained: (change, values) => `attendu ${change} pour ${values}`,
  notAdjusted: names => `non ajusté à ${names}, sans valeur`,
  incident: {
    date: dateOf,
    sources: (first, others) => `${first} et ${others} ${others === 1 ? 'autre source' : 'autres sources'}`,
    oneDate: date => `, le ${date}`,
    dates: (alerts, since, until) => `, ${alerts} alertes du ${since} au ${until}`,
  },
  change: {
    level: size => {
      const side = size > 0 ? 'plus' : 'moins';
      if (isNear(size, 0.25)) return `un quart de ${side}`;
      if (isNear(size, 0.5)) return `moitié ${side}`;
      return `${percent(Math.abs(size))} de ${side}`;
    },
    clock: (duration, isLater) => `tout ${duration} plus ${isLater ? 'tard' : 'tôt'}`,
    opening: (stretch, isOpen) => `${isOpen ? 'ouvert' : 'fermé'} ${stretch}`,
    shape: 'un autre profil de journée',
    daylightSaving: ', comme après un changement d’heure non suivi',
    since: date => ` depuis le ${date}`,
    duration: (hours, minutes) =>
      minutes === 0
        ? hours === 1
          ? 'une heure'
          : `${hours} heures`
        : hours === 0
          ? `${minutes} minutes`
          : `${hours} h ${minutes} min`,
  },
  loss: {
    part: percent => `${percent} de sa marge`,
    all: 'toute sa marge',
    times: number => `${number} fois sa marge`,
  },
  modelName: {
    weekdays,
    months,
    everyDay: 'tous les jours',
    everyDayExcept: weekday => `tous les jours sauf le ${weekday}`,
    daysExcept: (weekdays, weekday) => `${weekdays} sauf le ${weekday}`,
    exceptMonth: month => `sauf ${month}`,
    holidays: 'jours fériés',
    only: dates => `seulement ${dates}`,
    dayOfMonth: (day, month) => `${dayNumberText(day)} ${month}`,
    enumeration: parts =>
      parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} et ${parts.at(-1)}`,
    places: {
      ...{ lower: 'plus bas', higher: 'plus haut', middle: 'moyen' },
      ...{ lowest: 'le plus bas', highest: 'le plus haut' },
    },
    level: (place, count) => `niveau ${place} sur ${count}`,
    pattern: number => `profil ${number}`,
    monthDay: monthDayName,
    cycleDays: (days, isOne, length) => `${isOne ? 'jour' : 'jours'} ${days} sur ${length}`,
    someOfCycle: (count, length) => `${count} jours d’un cycle de ${length}`,
    ofWeek: (weekdays, week) => `${weekdays} de la semaine ${week}`,
    ofWeeks: (weeks, count) => `${weeks} sur ${count}`,
  },
  reason: {
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
    follows: ({ following, of }, days, model) => {
      if (of === 1) return `le seul ${days} ${following === 1 ? 'suit' : 'ne suit pas'} ${quoted(model)}`;
      if (following === 0) return `aucun des ${of} ${days} ne suit ${quoted(model)}`;
      const count = following === of ? `tous les ${of}` : `${following} des ${of}`;
      return `${count} ${days} ${following < 2 ? 'suit' : 'suivent'} ${quoted(model)}`;
    },
    days: (days, date, isOne) => {
      const isNear = days.by === 'weekday' || days.by === 'phase';
      return noun(days, isOne) + (isNear ? ` autour du ${dayOf(date)}` : '');
    },
    nearer: (nearer, days, date, isOne) =>
      nearer.by === 'name'
        ? noun({ by: 'name' }, isOne)
        : `${noun(days, isOne)} à ${nearer.days} jours au plus du ${dayOf(date)}`,
    ofAll: ({ following, of }, days) =>
      `, mais seulement ${following} sur ${of} ${days.by === 'holiday' ? 'de tous les jours fériés' : 'de toute la saison'}`,
    more: ', plus que tout autre modèle',
    despite: (why, { following, of }, days, model) => {
      const others = `d’autres jours semblables décident pour ${quoted(model)}`;
      if (of === 1) return `${others}, le seul ${days} ne le suit pas`;
      const count =
        following === 0 ? 'aucun ne le suit' : `${following} le ${following === 1 ? 'suit' : 'suivent'}`;
      return why === 'mean'
        ? `${quoted(model)} est le plus proche de la moyenne des ${of} ${days}, dont ${count}`
        : `${others}\u00a0; des ${of} ${days}, ${count}`;
    },
    otherwise: (which, days, model) => {
      if (which === 'none')
        return `aucun jour de référence n’est semblable\u00a0; ${quoted(model)} est le premier des modèles`;
      const others =
        which === 'others' ? 'd’autres jours semblables' : 'des jours semblables d’autres saisons';
      return `il n’y a pas de ${days}\u00a0; ${quoted(model)} est le modèle ${others}`;
    },
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
  },
  message: {
    alert: (source, sentence, change) => `${changes[change]}${source}\u00a0: ${unbroken(sentence)}`,
    afterName: sentence => sentence.charAt(0).toLowerCase() + sentence.slice(1),
    detail: (date, criticity) => `${date}, criticité ${criticity}.`,
    lossDetail: (date, criticity, { loss, isWorst }) =>
      `${date}. Perte${isWorst ? ' du pire jour' : ''}\u00a0: ${loss}\u00a0; criticité ${criticity}.`,
    titleWithLoss: (title, loss) => `${title} (perte\u00a0: ${loss})`,
    lossKey:
      'Marge\u00a0: la perte que les limites d’une journée permettent. Criticité\u00a0: à quel point la journée est improbable.',
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
      'Ligne noire\u00a0: la journée. Bande bleue\u00a0: la plage habituelle de journées comparables. Tirets bleus\u00a0: les valeurs attendues. Zone rouge\u00a0: les heures hors d’une limite. Ligne rouge\u00a0: cette limite.',
    pictureText: title => `Graphique de la journée\u00a0: ${title}`,
    open: 'Ouvrir dans Daybook',
    footer: webhookId =>
      `Daybook envoie ce courriel pour le webhook ${webhookId}. ` +
      'Pour ne plus en recevoir, demandez aux responsables de Daybook de désactiver ou de supprimer ce webhook.',
  },
};
