import type { InOtherLanguages } from '../../../domain/alerts/sentences/languages.js';
import type { AlertKind } from '../../../domain/alerts/findings.js';

/** The parts of a message to a receiver, a CloudEvent, that a mail uses. */
export type MailEvent = {
  readonly type: string;
  readonly data: {
    readonly source?: { readonly id: number; readonly name: string };
    /** Change of the alert: `raised`, `resolved` … */
    readonly change?: string;
    readonly alert?: MailAlert;
    /** An analysis that failed has a reason. */
    readonly analysis?: { readonly detail?: string };
    readonly link?: string;
    /** Messages of a digest. */
    readonly messages?: readonly MailEvent[];
  };
};

export type MailAlert = {
  readonly id: string;
  readonly date: string;
  readonly kind: AlertKind;
  readonly criticity: number;
  /** In English. */
  readonly sentence: string;
  /** The same in other languages; absent in messages of older versions. */
  readonly sentences?: InOtherLanguages;
};

/** The messages of a mail: those of a digest, or the one message. */
export const messagesOf = (event: MailEvent): readonly MailEvent[] => event.data.messages ?? [event];

/** Maximum pictures of one mail. */
const picturesMax = 5;

/** Ids of the alerts that a mail shows as a picture: raised ones of days with data. */
export const picturedAlerts = (event: MailEvent): readonly string[] => {
  const ids = messagesOf(event).flatMap(({ data: { change, alert } }) =>
    alert && change === 'raised' && alert.kind !== 'noData' && alert.kind !== 'gap' ? [alert.id] : [],
  );
  return [...new Set(ids)].slice(0, picturesMax);
};
