import { faultsMax } from '../../../domain/rejection.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { referenceDaysMax } from '../../../application/requests/imports/assembleDays.js';
import { recentDaysMax } from '../../../application/requests/imports/faults.js';
import { freshDaysMax } from '../../../application/requests/imports/importWarnings.js';
import { pointsMax } from '../../../application/requests/points/pointList.js';
import { pointsAtOnce } from '../../../application/requests/points/sliceValues.js';
import { pointsOfDateMax } from '../../../application/requests/points/waitingPoints.js';
import { unclaimedMax } from '../../../application/requests/points/feeds.js';
import { walkIdsMax } from '../../../application/requests/largeAnswers.js';
import { incidentAlertsMax } from '../../../domain/incidents/grouping.js';
import { muteDaysMax, mutesMax } from '../../../domain/incidents/mutes.js';
import { allDatesMax, ruleDatesMax, rulesMax } from '../../../domain/planning/calendarRules.js';
import { modelCountMax, nameLengthMax } from '../../../domain/planning/models.js';
import { feedNameLengthMax, feedTagsMax } from '../../../domain/source/feed.js';
import { relearnedDaysMin } from '../../../domain/source/reference.js';
import * as description from '../../../domain/source/sourceDescription.js';
import { tokenDaysMax, tokensMax } from '../../../domain/tokens.js';
import { webhooksMax } from '../../../domain/webhooks/webhooks.js';
import { repositoryRoot } from '../../helpers/repository.js';

const number = (value: number): string => value.toLocaleString('en-US');

/** Limits of the service, as the documentation states them to clients. */
const limits: Readonly<Record<string, readonly string[]>> = {
  'api.md': [
    `\`name\` | 1 to ${number(nameLengthMax)} characters; of one source`,
    `at most ${number(description.labelsMax)}, to group sources`,
    `A key is a letter and up to ${number(description.labelKeyLengthMax - 1)} letters`,
    `a value has 1 to ${number(description.labelValueLengthMax)} characters`,
    `the address has up to ${number(description.addressLengthMax)} characters`,
    `unit of the values, 1 to ${number(description.unitLengthMax)} characters`,
    `at most ${number(tokenDaysMax)} days away`,
    `A tenant has at most ${number(tokensMax)} tokens`,
    `\`dates\`, \`dateCount\` dates from \`from\` to \`to\` in all: at most ${number(ruleDatesMax)},`,
    `at most ${number(rulesMax)} rules each with ${number(allDatesMax)} dates`,
    `365 dates, ${number(relearnedDaysMin)} of them with three quarters`,
    `More than ${number(walkIdsMax)} days with an alert`,
    `at most ${number(pointsMax / 1_000_000)} million points`,
  ],
  'incidents.md': [
    `An incident has at most ${number(incidentAlertsMax)} alerts`,
    `an end, at most ${number(muteDaysMax)} days away`,
  ],
  'webhooks.md': [`A tenant has at most ${number(webhooksMax)} webhooks`],
  'line-protocol.md': [
    `${number(feedNameLengthMax)} characters, ${number(feedTagsMax)} tags`,
    `at most ${number(unclaimedMax)} of a tenant`,
    `more than ${number(pointsAtOnce)} points waits`,
    `stored as one, up to ${number(pointsOfDateMax)} points`,
  ],
  'data-formats.md': [
    `lists up to ${number(faultsMax)} faults`,
    `takes at most ${number(referenceDaysMax)} days from the first`,
    `the newest ${number(freshDaysMax)} days of an import`,
  ],
  'operations.md': [
    `${number(recentDaysMax)} days, 1,000 alerts of each kind`,
    `${number(modelCountMax)} models`,
    `${number(mutesMax)} mutes`,
  ],
};

t.test('limits are those that the documentation states', async t => {
  for (const [file, phrases] of Object.entries(limits)) {
    const text = readFileSync(join(repositoryRoot(), 'docs', file), 'utf8');
    for (const phrase of phrases) t.ok(text.includes(phrase), `${file}: ${phrase}`);
  }
});
