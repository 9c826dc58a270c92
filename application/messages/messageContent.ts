import { alertDetails } from '../../domain/alerts/alertDetails.js';
import { numberTexts, type SourceDescription } from '../../domain/source/sourceDescription.js';
import type { MessageFilter } from '../../domain/webhooks/messageCauses.js';
import type { MessageType } from '../../domain/webhooks/webhookTarget.js';
import type { AlertThen, FindingThen, MessageCause } from '../../projections/messageCauses.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import type { AnnouncedAt } from './announcements.js';

/** Parts of which messages of one webhook are made. */
export type MessageParts = {
  readonly models: Pick<ReadModels, 'messageCauses' | 'sources' | 'webhooks' | 'incidents' | 'mutes'>;
  readonly announcedAt: AnnouncedAt;
  /** Address of the screens, without a slash at its end; undefined for messages without links. */
  readonly publicUrl?: string | undefined;
};

/** Content of a message. `key` tells the messages of one event apart; absent for the only one. */
export type MessageContent = {
  readonly type: MessageType;
  readonly source: SourceThen;
  readonly subject?: string;
  readonly key?: string;
  readonly criticity: number | null;
  readonly data: object;
  /** Path of its screen. */
  readonly path: string;
};

/** A source with its description as of an event. */
export type SourceThen = SourceSetup & SourceDescription;

/** The event of messages, and the filter of the webhook as of it. */
export type FilteredCause = { readonly cause: MessageCause; readonly filter: MessageFilter };

/** A source of a tenant with its description as of a position; undefined when the tenant has none of this id. */
export const sourceThen = (
  models: Pick<MessageParts['models'], 'sources' | 'messageCauses'>,
  tenant: string,
  { sourceId, position }: Pick<MessageCause, 'sourceId' | 'position'>,
): SourceThen | undefined => {
  const source = models.sources.setup(sourceId);
  const described = models.messageCauses.describedAt(sourceId, position);
  return source?.tenant === tenant && described ? { ...source, ...described } : undefined;
};

/** An alert in a message, with its finding as of an event. */
export const shownAlert = (
  source: SourceThen,
  { id, date, kind, state, criticity }: AlertThen,
  { finding, deviation: older }: FindingThen,
) => {
  const { id: sourceId, activitySize: size, aggregation } = source;
  const dated = { date, size, aggregation, texts: numberTexts(source), finding };
  const { sentence, sentences, deviation } = alertDetails(dated, older);
  const { direction } = finding;
  return { id, sourceId, date, kind, state, criticity, direction, sentence, sentences, deviation };
};
