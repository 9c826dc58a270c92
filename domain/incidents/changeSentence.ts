import { minutesPerDay } from '../dates.js';
import { percent } from '../percent.js';
import type { Change, SourceChange } from './changes.js';
import { incidentDate, type IncidentLanguage } from './incidentSentence.js';

/** Words of the sentence of a change in one language. */
type Texts = {
  readonly level: (size: number) => string;
  readonly clock: (duration: string, isLater: boolean) => string;
  readonly opening: (stretch: string, isOpen: boolean) => string;
  readonly shape: string;
  readonly daylightSaving: string;
  readonly since: (date: string) => string;
  readonly duration: (hours: number, minutes: number) => string;
};

/** Largest distance of a share from a fraction that is named by its word. */
const near = 0.02;
const isNear = (size: number, share: number): boolean => Math.abs(Math.abs(size) - share) <= near;

const en: Texts = {
  level: size => {
    const side = size > 0 ? 'more' : 'less';
    if (isNear(size, 0.25)) return `a quarter ${side}`;
    if (isNear(size, 0.5)) return size > 0 ? 'half as much again' : 'half as much';
    return `${percent(Math.abs(size))} ${side}`;
  },
  clock: (duration, isLater) => `everything ${duration} ${isLater ? 'later' : 'earlier'}`,
  opening: (stretch, isOpen) => `${isOpen ? 'open' : 'closed'} ${stretch}`,
  shape: 'another course of the day',
  daylightSaving: ', as after a change of the clock that was not followed',
  since: date => ` since ${date}`,
  duration: (hours, minutes) =>
    minutes === 0
      ? hours === 1
        ? 'an hour'
        : `${hours} hours`
      : hours === 0
        ? `${minutes} minutes`
        : `${hours} h ${minutes} min`,
};

const fr: Texts = {
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
};

const languages = { en, fr } as const;

/** A minute of the day as a clock shows it: the hour alone when it is whole. */
const clockText = (minute: number): string => {
  const [hour, rest] = [Math.floor(minute / 60), minute % 60];
  const two = (number: number): string => String(number).padStart(2, '0');
  return rest === 0 ? two(hour) : `${two(hour)}:${two(rest)}`;
};

/** The change without its date. */
const whatOf = ({ type, size, minutes }: Change, texts: Texts): string => {
  switch (type) {
    case 'level':
      return texts.level(size);
    case 'clock': {
      const length = Math.abs(size);
      return texts.clock(texts.duration(Math.floor(length / 60), length % 60), size > 0);
    }
    case 'opening': {
      const [from, to] = minutes ?? [0, minutesPerDay];
      return texts.opening(`${clockText(from)}–${clockText(to)}`, size > 0);
    }
    case 'shape':
      return texts.shape;
  }
};

/** A change in a few words without its date, such as "closed 07–08". */
export const changeSummary = (change: Change, language: IncidentLanguage = 'en'): string =>
  whatOf(change, languages[language]);

/** A change in a few words without a full stop, such as "closed 07–08 since 30 Mar 2026". */
export const changeSentence = (change: Change, language: IncidentLanguage = 'en'): string => {
  const texts = languages[language];
  const what = whatOf(change, texts) + texts.since(incidentDate(change.from, language));
  return change.daylightSaving ? what + texts.daylightSaving : what;
};

/** The sentence of an incident with that of its change. */
export const withChangeSentence = (
  sentence: string,
  change: Change | null,
  language: IncidentLanguage = 'en',
): string => (change ? `${sentence}; ${changeSentence(change, language)}` : sentence);

/** A change of a source as clients see it. */
export const shownChange = (change: SourceChange) => ({
  ...change,
  minutes: change.minutes ?? null,
  daylightSaving: change.daylightSaving ?? false,
  sentence: changeSentence(change),
  sentences: { fr: changeSentence(change, 'fr') },
});

/** A change of a source as clients see it, with its words without the date. */
export const summedUpChange = (change: SourceChange) => ({
  ...shownChange(change),
  summary: changeSummary(change),
  summaries: { fr: changeSummary(change, 'fr') },
});
