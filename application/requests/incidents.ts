import {
  summedUpChange,
  withChangeSentence,
  incidentSentence,
  incidentTitle,
} from '../../domain/incidents/incidentSentence.js';
import { urgencyOf, type Urgency } from '../../domain/incidents/incidents.js';
import { inOtherLanguages, type InOtherLanguages } from '../../domain/words/languages.js';
import { worstLoss, type LossTexts } from '../../domain/alerts/alertDetails.js';
import { mainChange, type SourceChange } from '../../domain/incidents/changes.js';
import { mutedUntil, type CreatedMute } from '../../domain/incidents/mutes.js';
import type { IncidentRecord } from '../../projections/incidents/incidentPages.js';
import type { AcceptedChange } from '../../domain/source/acceptedChanges.js';
import type { AcceptedRecord } from '../../projections/acceptedChanges.js';
import { authorOf, type Author } from '../ports/people.js';
import type { ReadModels } from '../../projections/readModels.js';

/** A change of a source with its texts. */
export type ShownChange = ReturnType<typeof summedUpChange>;

/** An incident as clients see it. */
export type ShownIncident = Omit<IncidentRecord, 'tenant' | 'sourceCount' | 'changes'> & {
  /** The change of its main source; null without one. */
  readonly change: ShownChange | null;
  /** The changes of all of its sources. */
  readonly changes: readonly ShownChange[];
  /** Changes that people took as the new normal, by source. */
  readonly accepted: readonly (Pick<AcceptedRecord, 'sourceId' | 'from' | 'at'> &
    Author & { readonly change: ShownChange })[];
  readonly severity: Urgency;
  /** In English; `titles` and `sentences` have other languages. */
  readonly title: string;
  readonly titles: InOtherLanguages;
  readonly sentence: string;
  readonly sentences: InOtherLanguages;
  /** The loss of `worstSeverity` in words; null without one. */
  readonly loss: LossTexts['loss'] | null;
  readonly losses: LossTexts['losses'] | null;
  readonly mutedUntil: string | null;
};

/** The mutes of a tenant now, and the time. */
export type Muting = {
  readonly mutes: readonly CreatedMute[];
  readonly now: string;
};

/** The instant until which an incident is muted; null when it is not. */
export const incidentMutedUntil = (
  models: Pick<ReadModels, 'sources'>,
  { mutes, now }: Muting,
  { id, sources, sourceCount }: Pick<IncidentRecord, 'id' | 'sources' | 'sourceCount'>,
): string | null => {
  if (mutes.length === 0) return null;
  const labelled = sources.map(source => ({
    ids: models.sources.lineage(source.id),
    labels: models.sources.setup(source.id)?.labels ?? {},
  }));
  return mutedUntil(mutes, { incidentId: id, sources: labelled, sourceCount }, now);
};

/** An accepted change as clients see it, without what it makes expected. */
export const shownAcceptedChange = ({
  type,
  size,
  from,
  minutes,
  daylightSaving,
  sourceId,
}: AcceptedChange & Pick<SourceChange, 'sourceId'>): ShownChange =>
  summedUpChange({
    ...{ type, size, from, sourceId },
    ...(minutes && { minutes }),
    ...(daylightSaving && { daylightSaving }),
  });

/** The history of an incident, with what people accepted in the streams of its sources, oldest first. */
export const incidentHistory = (
  { incidents, acceptedChanges }: Pick<ReadModels, 'incidents' | 'acceptedChanges'>,
  id: string,
): readonly (Author & { readonly type: string; readonly at: string })[] =>
  [
    ...incidents.history(id),
    ...acceptedChanges
      .steps(id)
      .map(step => ({ ...step, change: shownAcceptedChange({ ...step.change, sourceId: step.sourceId }) })),
  ]
    .sort((a, b) => (a.position < b.position ? -1 : 1))
    .map(({ position: _, by, ...step }) => ({ ...step, ...authorOf(by) }));

/** An incident with its texts and its mute. */
export const shownIncident = (
  models: Pick<ReadModels, 'sources' | 'acceptedChanges'>,
  muting: Muting,
  { tenant, sourceCount, ...incident }: IncidentRecord,
): ShownIncident => {
  const { counts, alert, since, until } = incident;
  const alerts = counts.open + counts.acknowledged + counts.resolved + counts.ended;
  const sources = incident.sources.map(({ name }) => name);
  const change = mainChange({ changes: incident.changes, mainAlertId: alert?.id ?? '' });
  const span = { since, until, alerts, sources, sourceCount };
  return {
    ...incident,
    severity: urgencyOf(incident.criticity),
    title: incidentTitle(span),
    titles: inOtherLanguages(texts => incidentTitle(span, texts)),
    sentence: withChangeSentence(incidentSentence(alert?.sentence ?? '', span), change),
    sentences: inOtherLanguages((texts, tag) =>
      withChangeSentence(incidentSentence(alert?.sentences[tag] ?? '', span, texts), change, texts),
    ),
    ...worstLoss(incident.worstSeverity),
    change: change && summedUpChange(change),
    changes: incident.changes.map(summedUpChange),
    accepted: models.acceptedChanges.ofIncident(incident.id).map(({ by, at, ...accepted }) => ({
      ...{ sourceId: accepted.sourceId, from: accepted.from },
      change: shownAcceptedChange(accepted),
      ...authorOf(by),
      at,
    })),
    mutedUntil: incidentMutedUntil(models, muting, { ...incident, sourceCount }),
  };
};
