import { subjectLengthMax } from '../../../domain/tokens.js';
import Type from '../typebox.js';
import { alertKinds } from '../../../domain/alerts/findings.js';
import { joinReasons } from '../../../domain/incidents/connections.js';
import { changeTypes } from '../../../domain/incidents/changes.js';
import { urgencies, incidentStates, shownSourcesMax } from '../../../domain/incidents/incidents.js';
import { incidentLabelsMax } from '../../../domain/incidents/tenantSettings.js';
import { linesPattern, textLengthMax } from '../../../domain/text.js';
import { shownAlertsMax } from '../../../projections/incidents/incidentPages.js';
import { alertIdSchema, alertSchema, incidentIdSchema, verdictSchema } from './alert.js';
import {
  authorFields,
  dateSchema,
  instantSchema,
  nullable,
  sourceIdSchema,
  otherLanguagesSchema,
  strict,
  nextCursorSchema,
  stepFields,
  object,
  text,
  described,
  number,
  flag,
  named,
} from './common.js';
import { givenLabelsSchema, labelKeySchema } from './description.js';

/** Path parameters of an incident, and of a mute. */
export const incidentParams = object({ id: incidentIdSchema });
const muteIdSchema = Type.String({ maxLength: 100, examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'] });
export const muteParams = object({ id: muteIdSchema });

const textSchema = Type.String({ minLength: 1, maxLength: textLengthMax, pattern: linesPattern });
const alertIdsSchema = Type.Array(alertIdSchema, { maxItems: shownAlertsMax, examples: [['12-20260302-1']] });
const countsSchema = object({
  open: Type.Integer({ examples: [1] }),
  acknowledged: Type.Integer({ examples: [0] }),
  resolved: Type.Integer({ examples: [0] }),
  ended: Type.Integer({ examples: [0] }),
});

const joinFields = {
  alertId: alertIdSchema,
  reason: Type.Enum([...joinReasons], {
    description:
      'opened: it is the first; neighbour: an alert of its source on a neighbouring date; repeat: the same direction at ' +
      'the same time of day within 28 days; place: the same direction at the same time on a source with the same label; ' +
      'replaced: it follows an invalidated alert of its date.',
  }),
  with: Type.Array(alertIdSchema, { description: 'Alerts for which it joined.', examples: [[]] }),
  label: nullable(text('The label that the sources share.', 'site=north'), {
    examples: [null],
  }),
};

export const changeSchema = described('Change', 'A change of a source that stays.', {
  type: Type.Enum([...changeTypes], {
    description:
      'level: everything more or less; clock: everything earlier or later; opening: a stretch at one end of the ' +
      'active time is closed or open now; shape: another course of the day.',
  }),
  size: number(
    'level: share more, negative for less; clock: minutes later, negative for earlier; opening: minutes, negative ' +
      'when closed now; shape: mean distance from the expected course as a share of its mean.',
    -60,
  ),
  from: Type.String({ ...dateSchema, description: 'First of the like days.' }),
  minutes: nullable(
    Type.Array(Type.Integer(), {
      minItems: 2,
      maxItems: 2,
      description: 'Stretch of an opening in minutes after midnight, the second exclusive.',
      examples: [[420, 480]],
    }),
  ),
  daylightSaving: flag('Whether the clock of the source changed by an hour just before.', false),
  sourceId: sourceIdSchema,
  sentence: Type.String({ examples: ['closed 07–08 since 30 Mar 2026'] }),
  sentences: otherLanguagesSchema(
    { fr: 'fermé 07–08 depuis le 30 mars 2026' },
    { title: 'ChangeSentences', description: 'The sentence in other languages.' },
  ),
  summary: text('The sentence without its date.', 'closed 07–08'),
  summaries: otherLanguagesSchema(
    { fr: 'fermé 07–08' },
    { title: 'ChangeSummaries', description: 'The summary in other languages.' },
  ),
});

const acceptedSchema = named('AcceptedChange', {
  sourceId: sourceIdSchema,
  from: Type.String({ ...dateSchema, description: 'First date that is expected with the change.' }),
  change: changeSchema,
  ...authorFields,
  at: instantSchema,
});

export const incidentSchema = described('Incident', 'All alerts of one cause.', {
  id: incidentIdSchema,
  state: Type.Enum([...incidentStates], {
    description:
      'ended: what it reported is over; merged: its alerts are in another incident, mergedInto; invalidated: it has ' +
      'no alert left.',
  }),
  severity: Type.Enum([...urgencies], {
    description: 'By criticity: info below 0.7, warning below 0.85, critical from there on.',
  }),
  kind: nullable(Type.Enum([...alertKinds], { description: 'Kind of the most critical alert.' })),
  title: text('Its source, or the first of several.', 'Entrance hall'),
  titles: otherLanguagesSchema(
    { fr: 'Hall d’entrée et 2 autres sources' },
    { title: 'IncidentTitles', description: 'The title in other languages.' },
  ),
  sentence: Type.String({
    examples: ['31 % under the usual Monday from 14:00 to 20:00, on 2 Mar 2026'],
  }),
  sentences: otherLanguagesSchema(
    { fr: '31 % au-dessous du lundi habituel de 14:00 à 20:00, le 2 mars 2026' },
    { title: 'IncidentSentences', description: 'The sentence in other languages.' },
  ),
  since: Type.String({ ...dateSchema, description: 'First date of its alerts.' }),
  until: Type.String({ ...dateSchema, description: 'Last date of its alerts, inclusive.' }),
  alertIds: Type.Array(alertIdSchema, {
    maxItems: shownAlertsMax,
    description: `Its alerts by date, at most ${shownAlertsMax}.`,
    examples: [['12-20260302-1']],
  }),
  counts: Type.Object(countsSchema.properties, {
    ...strict,
    description: 'Numbers of its alerts by state.',
  }),
  sources: Type.Array(object({ id: sourceIdSchema, name: Type.String({ examples: ['Entrance hall'] }) }), {
    description: 'At most 100.',
  }),
  criticity: number('Criticity of its main alert, `alert`.', 0.82, {
    minimum: 0,
    maximum: 1,
  }),
  worstSeverity: nullable(Type.Number({ minimum: 0, maximum: 1, examples: [0.44] }), {
    description: 'Largest severity of its alerts; null when none has one, as in those of engines up to 8.',
  }),
  loss: nullable(Type.String({ examples: ['79 % of its allowance'] }), {
    description: 'What its worst day lost, over what the limits of that day allow; null without a severity.',
  }),
  losses: nullable(
    otherLanguagesSchema(
      { fr: '79 % de sa marge' },
      { title: 'IncidentLosses', description: 'The loss in other languages.' },
    ),
    { description: 'null without a severity.' },
  ),
  assignee: nullable(text('Subject of a person.', 'anna')),
  mutedUntil: nullable(Type.String({ ...instantSchema, description: 'null when it is not muted now.' }), {
    examples: [null],
  }),
  joinedBy: Type.Array(named('JoinedBy', joinFields), {
    description: 'Why each alert of alertIds is in it.',
  }),
  mergedInto: nullable(incidentIdSchema, { examples: [null] }),
  change: nullable(changeSchema, {
    description:
      'What has changed in its main source, from the third like day on; null when nothing is recognised.',
    examples: [null],
  }),
  changes: Type.Array(changeSchema, { description: 'The changes of all of its sources.', examples: [[]] }),
  accepted: Type.Array(acceptedSchema, {
    description: 'Changes that people took as the new normal, by source.',
    examples: [[]],
  }),
  openedAt: instantSchema,
  updatedAt: instantSchema,
  alert: nullable(alertSchema, {
    description:
      'The most critical alert that waits for a person; when none does, the one that was it before.',
  }),
});

export const incidentPageSchema = named('IncidentPage', {
  incidents: Type.Array(incidentSchema),
  nextCursor: nextCursorSchema('w~abc~def~100'),
});

const listOf = (schema: Parameters<typeof Type.Array>[0]) => Type.Optional(Type.Array(schema));

const mergedSchema = object({
  incidentId: incidentIdSchema,
  into: incidentIdSchema,
  alertId: Type.Optional(alertIdSchema),
});
const incidentStepSchema = named('IncidentStep', {
  type: text('Type of the event.', 'AlertsGrouped'),
  at: instantSchema,
  ...authorFields,
  joined: listOf(object(joinFields)),
  left: listOf(alertIdSchema),
  merged: listOf(mergedSchema),
  split: listOf(object({ incidentId: incidentIdSchema, from: incidentIdSchema, alertIds: alertIdsSchema })),
  verdict: Type.Optional(verdictSchema),
  comment: Type.Optional(nullable(Type.String())),
  assignee: Type.Optional(nullable(Type.String())),
  from: Type.Optional(incidentIdSchema),
  newIncidentId: Type.Optional(incidentIdSchema),
  alertIds: Type.Optional(alertIdsSchema),
  sourceId: Type.Optional(sourceIdSchema),
  change: Type.Optional(changeSchema),
  ...stepFields,
});
export const incidentHistorySchema = named('IncidentHistory', { events: Type.Array(incidentStepSchema) });

export const assignmentSchema = named('Assignment', {
  subject: nullable(
    Type.String({ minLength: 1, maxLength: subjectLengthMax, pattern: linesPattern, examples: ['anna'] }),
    { description: 'Subject of the tokens of a person of the tenant; null unassigns it.' },
  ),
});
export const incidentCommentSchema = named('IncidentComment', {
  text: Type.String({ ...textSchema, examples: ['The caretaker looks at the pump.'] }),
});
export const acceptanceSchema = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        ...dateSchema,
        description:
          'First date that is expected with the change; by default its from. At most 28 days before the first alert, and not after today.',
      }),
    ),
    sourceIds: Type.Optional(
      Type.Array(sourceIdSchema, {
        minItems: 1,
        maxItems: shownSourcesMax,
        uniqueItems: true,
        description: 'Sources whose change is accepted; needed when several have one.',
        examples: [[12]],
      }),
    ),
  },
  { ...strict, title: 'ChangeAcceptance', examples: [{ from: '2026-03-30' }] },
);
export const splitSchema = named('IncidentSplit', {
  alertIds: Type.Array(alertIdSchema, {
    minItems: 1,
    maxItems: shownAlertsMax,
    uniqueItems: true,
    examples: [['12-20260302-1']],
  }),
});
export const mergeSchema = named('IncidentMerge', {
  incidentId: Type.String({ ...incidentIdSchema, description: 'The incident that takes its alerts.' }),
});

const settingsFields = {
  incidentLabels: Type.Array(labelKeySchema, {
    maxItems: incidentLabelsMax,
    uniqueItems: true,
    description:
      'Keys of labels: alerts of sources with an equal value join one incident when they go on together.',
    examples: [['site']],
  }),
};
export const settingsSchema = named('TenantSettings', settingsFields);
export const settingsPatchSchema = named('TenantSettingsPatch', {
  incidentLabels: Type.Optional(settingsFields.incidentLabels),
});

const scopeFields = {
  sourceId: Type.Optional(sourceIdSchema),
  labels: Type.Optional(givenLabelsSchema),
  incidentId: Type.Optional(incidentIdSchema),
};
export const newMuteSchema = Type.Object(
  {
    ...scopeFields,
    from: Type.Optional(
      Type.String({ ...instantSchema, maxLength: 40, description: 'By default the time of the request.' }),
    ),
    until: Type.String({ ...instantSchema, maxLength: 40, description: 'At most 400 days away.' }),
    reason: Type.String({ ...textSchema, examples: ['Sprinkler test'] }),
  },
  {
    ...strict,
    title: 'NewMute',
    description: 'One of sourceId, labels and incidentId.',
    examples: [{ sourceId: 12, until: '2026-03-07T11:00:00Z', reason: 'Sprinkler test' }],
  },
);
export const muteSchema = described('Mute', 'A time without first announcements.', {
  id: muteIdSchema,
  ...scopeFields,
  from: instantSchema,
  until: instantSchema,
  reason: Type.String({ examples: ['Sprinkler test'] }),
  ...authorFields,
  createdAt: instantSchema,
});
export const mutesSchema = named('Mutes', { mutes: Type.Array(muteSchema) });
export const deletedMuteSchema = named('DeletedMute', { id: muteIdSchema });
