import type { Alert, Model } from '../../api/types.js';
import { clockOf, hourOf, type Profile } from '../../charts/dayPicture.js';
import type { Formats } from '../../messages/formats.js';
import type { Messages } from '../../messages/messages.js';

const meanOf = (values: Profile): number | undefined => {
  const seen = values.filter(value => value !== null);
  return seen.length === 0 ? undefined : seen.reduce((sum, value) => sum + value, 0) / seen.length;
};

/** The reason of an alert in one sentence, in the reader's language. `actual` makes it say how far. */
export const sentenceOf = (
  alert: Pick<Alert, 'kind' | 'slices' | 'date' | 'direction'>,
  planned: Pick<Model, 'name' | 'activity'> | undefined,
  actual: Profile | null | undefined,
  { alertSentence: texts }: Messages,
  formats: Formats,
): string => {
  const weekday = formats.weekday(alert.date);
  if (alert.kind !== 'activity') return texts[alert.kind](weekday);
  const usual = planned?.name ?? weekday;
  // The longest stretch stands for the day; the picture shows all.
  const main = [...alert.slices].sort((a, b) => b.to - b.from - (a.to - a.from))[0];
  const slices = actual?.length ?? planned?.activity.length;
  if (!main || slices === undefined) return texts.outside(usual, alert.direction ?? 'both');
  const [from, to] = [clockOf(hourOf(main.from, slices)), clockOf(hourOf(main.to, slices))];
  const was = actual ? meanOf(actual.slice(main.from, main.to)) : undefined;
  const expected = planned ? meanOf(planned.activity.slice(main.from, main.to)) : undefined;
  const share =
    was !== undefined && expected !== undefined && expected !== 0
      ? formats.percent(Math.abs(was - expected) / Math.abs(expected))
      : undefined;
  const wholeDay = main.from === 0 && main.to === slices;
  return texts.activity(share, main.direction, usual, wholeDay ? undefined : [from, to]);
};
