import type { Alert } from '../api/client.js';
import type { Formats } from '../messages/formats.js';
import { unbroken } from '../messages/percent.js';

/** The reason of an alert in one sentence, as the service says it in the reader's language. */
export const sentenceOf = ({ sentence, sentences }: Alert, { language }: Formats): string =>
  unbroken(language === 'fr' ? sentences.fr : sentence);
