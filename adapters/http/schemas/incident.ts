import { subjectLengthMax } from '../../../domain/tokens.js';
import Type from '../typebox.js';
import { alertKinds } from '../../../domain/alerts/findings.js';
import { joinReasons } from '../../../domain/incidents/connections.js';
import { changeTypes } from '../../../domain/incidents/changes.js';
import { urgencies } from '../../../domain/incidents/urgency.js';
import { incidentStates, shownSourcesMax } from '../../../domain/incidents/incidents.js';
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
} from './common.js';
import { givenLabelsSchema, labelKeySchema } from './description.js';

/** Path parameters of an incident, and of a mute. */
export const incidentParams = Type.Object({ id: incidentIdSchema }, strict);
const muteIdSchema = Type.String({ maxLength: 100, examples: ['0b7c0012-1f2e-5a3b-9c4d-0123456789ab'] });
export const muteParams = Type.Object({ id: muteIdSchema }, strict);

const textSchema = Type.String({ minLength: 1, maxLength: textLengthMax, pattern: linesPattern });
const alertIdsSchema = Type.Array(alertIdSchema, { maxItems: shownAlertsMax, examples: [['12-20260302-1']] });
const countsSchema = Type.Object(
  {
    open: Type.Integer({ examples: [1] }),
    acknowledged: Type.Integer({ examples: [0] }),
    resolved: Type.Integer({ examples: [0] }),
    ended: Type.Integer({ examples: [0] }),
  },
  strict,
);

const joinFields = {
  alertId: alertIdSchema,
  reason: Type.Enum([...joinReasons], {
    description:
      'opened: it is the first; neighbour: an alert of its source on a neighbouring date; repeat: the same direction at ' +
      'the same time of day within 28 days; place: the same direction at the same time on a source with the same label; ' +
      'replaced: it follows an invalidated alert of its date.',
  }),
  with: Type.Array(alertIdSchema, { description: 'Alerts for which it joined.', examples: [[]] }),
  label: nullable(
    Type.String({ description: 'The label that the sources share.', examples: ['site=north'] }),
    {
      examples: [null],
    },
  ),
};

export const changeSchema = Type.Object(
  {
    type: Type.Enum([...changeTypes], {
      description:
        'level: everything more or less; clock: everything earlier or later; opening: a stretch at one end of the ' +
        'active time is closed or open now; shape: another course of the day.',
    }),
    size: Type.Number({
      description:
        'level: share more, negative for less; clock: minutes later, negative for earlier; opening: minutes, negative ' +
        'when closed now; shape: mean distance from the expected course as a share of its mean.',
      examples: [-60],
    }),
    from: Type.String({ ...dateSchema, description: 'First of the like days.' }),
    minutes: nullable(
      Type.Array(Type.Integer(), {
        minItems: 2,
        maxItems: 2,
        description: 'Stretch of an opening in minutes after midnight, the second exclusive.',
        examples: [[420, 480]],
      }),
    ),
    daylightSaving: Type.Boolean({
      description: 'Whether the clock of the source changed by an hour just before.',
      examples: [false],
    }),
    sourceId: sourceIdSchema,
    sentence: Type.String({ examples: ['closed 07–08 since 30 Mar 2026'] }),
    sentences: otherLanguagesSchema(
      { fr: 'fermé 07–08 depuis le 30 mars 2026' },
      { title: 'ChangeSentences', description: 'The sentence in other languages.' },
    ),
    summary: Type.String({ description: 'The sentence without its date.', examples: ['closed 07–08'] }),
    summaries: otherLanguagesSchema(
      { fr: 'fermé 07–08' },
      { title: 'ChangeSummaries', description: 'The summary in other languages.' },
    ),
  },
  { ...strict, title: 'Change', description: 'A change of a source that stays.' },
);

const acceptedSchema = Type.Object(
  {
    sourceId: sourceIdSchema,
    from: Type.String({ ...dateSchema, description: 'First date that is expected with the change.' }),
    change: changeSchema,
    ...authorFields,
    at: instantSchema,
  },
  { ...strict, title: 'AcceptedChange' },
);

export const incidentSchema = Type.Object(
  {
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
    title: Type.String({ description: 'Its source, or the first of several.', examples: ['Entrance hall'] }),
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
    sources: Type.Array(
      Type.Object({ id: sourceIdSchema, name: Type.String({ examples: ['Entrance hall'] }) }, strict),
      { description: 'At most 100.' },
    ),
    criticity: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Largest criticity of its alerts.',
      examples: [0.82],
    }),
    worstSeverity: nullable(Type.Number({ minimum: 0, maximum: 1, examples: [0.44] }), {
      description: 'Largest severity of its alerts; null when none has one, as in those of engines up to 8.',
    }),
    loss: nullable(Type.String({ examples: ['79 % of its allowance'] }), {
      description:
        'What its worst day lost, over what the limits of that day allow; null without a severity.',
    }),
    losses: nullable(
      otherLanguagesSchema(
        { fr: '79 % de sa marge' },
        { title: 'IncidentLosses', description: 'The loss in other languages.' },
      ),
      { description: 'null without a severity.' },
    ),
    assignee: nullable(Type.String({ description: 'Subject of a person.', examples: ['anna'] })),
    mutedUntil: nullable(Type.String({ ...instantSchema, description: 'null when it is not muted now.' }), {
      examples: [null],
    }),
    joinedBy: Type.Array(Type.Object(joinFields, { ...strict, title: 'JoinedBy' }), {
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
    alert: nullable(alertSchema, { description: 'The most critical alert.' }),
  },
  { ...strict, title: 'Incident', description: 'All alerts of one cause.' },
);

export const incidentPageSchema = Type.Object(
  {
    incidents: Type.Array(incidentSchema),
    nextCursor: nextCursorSchema('w~abc~def~100'),
  },
  { ...strict, title: 'IncidentPage' },
);

const listOf = (schema: Parameters<typeof Type.Array>[0]) => Type.Optional(Type.Array(schema));

const mergedSchema = Type.Object(
  { incidentId: incidentIdSchema, into: incidentIdSchema, alertId: Type.Optional(alertIdSchema) },
  strict,
);
const incidentStepSchema = Type.Object(
  {
    type: Type.String({ description: 'Type of the event.', examples: ['AlertsGrouped'] }),
    at: instantSchema,
    ...authorFields,
    joined: listOf(Type.Object(joinFields, strict)),
    left: listOf(alertIdSchema),
    merged: listOf(mergedSchema),
    split: listOf(
      Type.Object({ incidentId: incidentIdSchema, from: incidentIdSchema, alertIds: alertIdsSchema }, strict),
    ),
    verdict: Type.Optional(verdictSchema),
    comment: Type.Optional(nullable(Type.String())),
    assignee: Type.Optional(nullable(Type.String())),
    from: Type.Optional(incidentIdSchema),
    newIncidentId: Type.Optional(incidentIdSchema),
    alertIds: Type.Optional(alertIdsSchema),
    sourceId: Type.Optional(sourceIdSchema),
    change: Type.Optional(changeSchema),
    ...stepFields,
  },
  { ...strict, title: 'IncidentStep' },
);
export const incidentHistorySchema = Type.Object(
  { events: Type.Array(incidentStepSchema) },
  { ...strict, title: 'IncidentHistory' },
);

export const assignmentSchema = Type.Object(
  {
    subject: nullable(
      Type.String({ minLength: 1, maxLength: subjectLengthMax, pattern: linesPattern, examples: ['anna'] }),
      { description: 'Subject of the tokens of a person of the tenant; null unassigns it.' },
    ),
  },
  { ...strict, title: 'Assignment' },
);
export const incidentCommentSchema = Type.Object(
  { text: Type.String({ ...textSchema, examples: ['The caretaker looks at the pump.'] }) },
  { ...strict, title: 'IncidentComment' },
);
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
export const splitSchema = Type.Object(
  {
    alertIds: Type.Array(alertIdSchema, {
      minItems: 1,
      maxItems: shownAlertsMax,
      uniqueItems: true,
      examples: [['12-20260302-1']],
    }),
  },
  { ...strict, title: 'IncidentSplit' },
);
export const mergeSchema = Type.Object(
  { incidentId: Type.String({ ...incidentIdSchema, description: 'The incident that takes its alerts.' }) },
  { ...strict, title: 'IncidentMerge' },
);

const settingsFields = {
  incidentLabels: Type.Array(labelKeySchema, {
    maxItems: incidentLabelsMax,
    uniqueItems: true,
    description:
      'Keys of labels: alerts of sources with an equal value join one incident when they go on together.',
    examples: [['site']],
  }),
};
export const settingsSchema = Type.Object(settingsFields, { ...strict, title: 'TenantSettings' });
export const settingsPatchSchema = Type.Object(
  { incidentLabels: Type.Optional(settingsFields.incidentLabels) },
  { ...strict, title: 'TenantSettingsPatch' },
);

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
export const muteSchema = Type.Object(
  {
    id: muteIdSchema,
    ...scopeFields,
    from: instantSchema,
    until: instantSchema,
    reason: Type.String({ examples: ['Sprinkler test'] }),
    ...authorFields,
    createdAt: instantSchema,
  },
  { ...strict, title: 'Mute', description: 'A time without first announcements.' },
);
export const mutesSchema = Type.Object({ mutes: Type.Array(muteSchema) }, { ...strict, title: 'Mutes' });
export const deletedMuteSchema = Type.Object({ id: muteIdSchema }, { ...strict, title: 'DeletedMute' });
