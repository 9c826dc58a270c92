import type { CheckCause, CheckedSilence } from '../../domain/alerts/checks.js';
import type { SilenceFinding } from '../../domain/alerts/findings.js';
import type { KnownEvent } from '../../domain/events.js';
import { dateOfSilence, silenceAt, type Silence } from '../../domain/alerts/silence.js';
import type { EngineRules } from '../../analysis/engine.js';
import type { SourceRhythm } from '../../projections/rhythms.js';

const findingOf = (silence: Silence): SilenceFinding => ({
  kind: 'noData',
  direction: null,
  criticity: 1,
  slices: [],
  looksLikeAnomaly: false,
  plannedModelId: null,
  closestModelId: null,
  betterModelId: null,
  silence,
});

/**
 * Whether a source is silent, as the check of a cause has to record it. The tick of the clock raises an alert; an
 * import ends one. Absent when the check changes nothing about a silence.
 */
export const checkedSilence = (
  event: Extract<KnownEvent, { type: CheckCause['type'] }>,
  known: SourceRhythm | undefined,
  { countsFutureDays }: Pick<EngineRules, 'countsFutureDays'>,
): { readonly silence?: CheckedSilence | null } => {
  if (!known || (event.type !== 'ClockTicked' && event.type !== 'DaysImported')) return {};
  const { givenMinutes } = known;
  const rhythm = countsFutureDays ? known.withFuture : known.rhythm;
  const silence = silenceAt(
    rhythm,
    givenMinutes,
    event.type === 'ClockTicked' ? event.data.deadline : event.at,
  );
  if (!silence) return { silence: null };
  if (event.type === 'DaysImported') return {};
  return {
    silence: {
      date: dateOfSilence(silence),
      finding: findingOf(silence),
      importId: rhythm.importId ?? '',
      key: silence.since,
    },
  };
};
