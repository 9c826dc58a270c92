import type { ReceiverFormat } from '../../../domain/webhooks/receiverFormats.js';
import type { MailLanguage } from '../../../domain/webhooks/webhookTarget.js';
import { harmlessJson } from '../../../domain/harmlessText.js';
import { headingOf } from '../mail/mailContent.js';
import { mailTexts } from '../mail/mailTexts.js';
import { alertmanager } from './alertmanager.js';
import { hiddenPath, type Format, type Formatted, type FormatInput } from './format.js';
import { ntfy } from './ntfy.js';
import { pagerduty } from './pagerduty.js';
import { slack } from './slack.js';
import { teams } from './teams.js';

/** Formats that are not CloudEvents. */
export type ChosenFormat = Exclude<ReceiverFormat, 'cloudevents'>;

const formats: Readonly<Record<ChosenFormat, Format>> = { slack, teams, pagerduty, ntfy, alertmanager };

/** Fault of an address that cannot belong to a receiver of a format; undefined for none. */
export const formatAddressFault = (format: ReceiverFormat, url: string): string | undefined =>
  format === 'cloudevents' ? undefined : formats[format].addressFault?.(new URL(url));

/** An address for answers: its path is hidden when it is a secret. An erased one stays as it is. */
export const shownAddress = (format: ReceiverFormat, url: string): string =>
  format !== 'cloudevents' && formats[format].hasSecretPath && URL.canParse(url)
    ? `${new URL(url).origin}${hiddenPath}`
    : url;

/** The request of a message: a function of the message and of the settings of its receiver alone. */
export const formatted = (
  format: ChosenFormat,
  announcements: FormatInput['announcements'],
  {
    language = 'en',
    options = {},
  }: { readonly language?: MailLanguage | undefined } & Partial<Pick<FormatInput, 'options'>>,
): Formatted => {
  const texts = mailTexts(language);
  const heading = headingOf(announcements, texts);
  const { body, ...others } = formats[format].format({ announcements, heading, words: texts, options });
  return { body: harmlessJson(body), ...others };
};
