import type { MailLanguage } from '../../../domain/webhooks/webhookTarget.js';
import type { MailEvent } from '../mailEvents.js';
import { en } from './en.js';
import { fr } from './fr.js';
import type { Change, MailTexts } from './mailTexts.js';

const catalogue: Readonly<Record<MailLanguage, MailTexts>> = { en, fr };

/** The texts of a language. */
export const mailTexts = (language: MailLanguage): MailTexts => catalogue[language];

const changes: readonly Change[] = ['raised', 'acknowledged', 'reopened', 'resolved', 'invalidated', 'ended'];

/** The change that a message is about; `raised` for one that this build does not know. */
export const changeOf = ({ data: { change } }: MailEvent): Change =>
  changes.find(known => known === change) ?? 'raised';
