import { dateIn, type Change, type MailTexts } from './mailTexts.js';

/** Words before the sentence of an alert. */
const changes: Readonly<Record<Change, string>> = {
  raised: '',
  acknowledged: 'Acknowledged: ',
  reopened: 'Reopened: ',
  resolved: 'Resolved: ',
  invalidated: 'No alert any more: ',
  ended: 'Ended: ',
};

/** English texts. The sentence of an alert is that of the API. */
export const en: MailTexts = {
  tag: 'en',
  date: dateIn('en-GB'),
  alert: (source, { sentence }, change) => `${changes[change]}${source}: ${sentence}`,
  detail: (date, criticity) => `${date}, criticity ${criticity}.`,
  newModels: source => `${source}: new models`,
  newModelsDetail: 'The reference was analysed.',
  analysisFailed: source => `${source}: the analysis failed`,
  analysisFailedDetail: reason => `Models that the source has stay in force. Reason: ${reason}`,
  test: 'Test message of Daybook',
  testDetail: 'Mails to this address arrive.',
  testArrived: 'Messages to this receiver arrive.',
  digest: (count, first) => `${count} messages: ${first}`,
  more: count => `… and ${count} more`,
  pictureKey:
    'Black line: the day. Blue band and dashed line: its limits and the expected values. Red area and dashed red lines: the broken limits. Grey lines: the days before.',
  pictureText: title => `Chart of the day: ${title}`,
  open: 'Open in Daybook',
  footer: webhookId =>
    `Daybook sends this mail for webhook ${webhookId}. ` +
    'To stop it, ask the people who run Daybook to disable or delete this webhook.',
};
