import Type, { type TSchema } from '../typebox.js';
import { attemptsMax, sendFailures } from '../../../application/ports/deliveries.js';
import { namePattern } from '../../../domain/text.js';
import {
  receiverFormats,
  receiverOptions,
  digestMinutes,
  groupings,
  mailLanguages,
  messageTypes,
  webhookLabelsMax,
} from '../../../domain/webhooks/webhookTarget.js';
import { disabledReasons } from '../../../domain/webhooks/webhooks.js';
import { urlLengthMax } from '../../webhooks/sender.js';
import { instantSchema, nullable, sourceIdSchema, strict } from './common.js';

const attemptsUsual = 100;

const webhookIdSchema = Type.String({
  maxLength: 40,
  examples: ['3d2b8f0e-6a1c-5f4d-8e7b-90a1b2c3d4e5'],
});
const urlSchema = Type.String({
  minLength: 1,
  maxLength: urlLengthMax,
  description:
    'Address of the receiver: https or http in a public network, or mailto: with one mail address.',
  examples: ['https://hooks.example.org/daybook'],
});
const eventsSchema = Type.Array(Type.Enum([...messageTypes]), {
  minItems: 1,
  uniqueItems: true,
  description: 'Types of the messages to deliver.',
  examples: [['alert.raised', 'alert.resolved']],
});
const labelValueSchema = Type.String({ minLength: 1, maxLength: 100, pattern: namePattern });
const labelsOf = <Labels>(value: TSchema, type: 'object' | ['object', 'null']) =>
  Type.Unsafe<Labels>({
    type,
    propertyNames: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,62}$' },
    additionalProperties: value,
    maxProperties: webhookLabelsMax,
    description: `Labels that a source must have, all of them; at most ${webhookLabelsMax}.`,
    examples: [{ site: 'Lyon' }],
  });
const labelsSchema = labelsOf<Readonly<Record<string, string>>>(labelValueSchema, 'object');
const minCriticitySchema = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Least criticity of an alert.',
  examples: [0.9],
});
const groupingSchema = Type.Enum([...groupings], {
  description: 'incident: messages about alerts are about incidents, one for each cause.',
  examples: ['incident'],
});
const timeOfDaySchema = (description: string, example: string) =>
  Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description, examples: [example] });
const digestFields = {
  everyMinutes: Type.Enum([...digestMinutes], { description: 'Minutes between digests.', examples: [1440] }),
  at: Type.Optional(timeOfDaySchema('Time of one of the digests; 00:00 by default.', '08:00')),
};
const digestSchema = Type.Object(digestFields, {
  ...strict,
  title: 'Digest',
  description: 'Messages wait for the next digest, at times of the day in the time zone of their source.',
});
const quietHoursSchema = Type.Object(
  {
    from: timeOfDaySchema('Beginning.', '22:00'),
    to: timeOfDaySchema('End; before from for an end on the next day.', '07:00'),
    minCriticity: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Least criticity of alerts that do not wait; without it all wait.',
        examples: [0.99],
      }),
    ),
  },
  {
    ...strict,
    title: 'QuietHours',
    description: 'Times of the day in the time zone of a source at which its messages wait.',
  },
);
const languageSchema = Type.Enum([...mailLanguages], {
  description: 'Language of mails and of formats that people read; en by default. CloudEvents have none.',
  examples: ['fr'],
});
const formatSchema = Type.Enum([...receiverFormats], {
  description:
    'Form of the messages: CloudEvents by default, or what a chat, a pager or Alertmanager takes. A mail has its own.',
  examples: ['cloudevents'],
});
const optionSchemas = {
  routingKey: Type.String({
    pattern: '^[A-Za-z0-9]{32}$',
    description: 'pagerduty: integration key of the service there.',
    examples: ['0123456789abcdef0123456789abcdef'],
  }),
  topic: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'ntfy: topic of the messages.',
    examples: ['daybook-hall'],
  }),
  token: Type.String({
    pattern: '^[!-~]{1,500}$',
    description: 'ntfy, alertmanager: token of the header Authorization.',
    examples: ['tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2'],
  }),
  priority: Type.Integer({
    minimum: 1,
    maximum: 5,
    description: 'ntfy: priority of all messages; by default it follows the severity.',
    examples: [4],
  }),
};
const optionsText =
  'Values that the format needs. They are stored encrypted and never answered: answers name those that are set.';
const optionsSchema = Type.Object(
  {
    routingKey: Type.Optional(optionSchemas.routingKey),
    topic: Type.Optional(optionSchemas.topic),
    token: Type.Optional(optionSchemas.token),
    priority: Type.Optional(optionSchemas.priority),
  },
  { ...strict, title: 'ReceiverOptions', description: optionsText },
);
const optionsPatchSchema = Type.Object(
  {
    routingKey: Type.Optional(nullable(optionSchemas.routingKey)),
    topic: Type.Optional(nullable(optionSchemas.topic)),
    token: Type.Optional(nullable(optionSchemas.token)),
    priority: Type.Optional(nullable(optionSchemas.priority)),
  },
  { ...strict, title: 'ReceiverOptionsPatch', description: `${optionsText} Absent ones stay, null removes.` },
);
const positionSchema = Type.String({
  pattern: '^(0|[1-9]\\d{0,17})$',
  description: 'A position of the log.',
  examples: ['1834'],
});

export const webhookParams = Type.Object({ webhook_id: webhookIdSchema }, strict);

export const newWebhookSchema = Type.Object(
  {
    url: urlSchema,
    events: Type.Optional(eventsSchema),
    labels: Type.Optional(labelsSchema),
    minCriticity: Type.Optional(minCriticitySchema),
    grouping: Type.Optional(groupingSchema),
    digest: Type.Optional(digestSchema),
    quietHours: Type.Optional(quietHoursSchema),
    language: Type.Optional(languageSchema),
    format: Type.Optional(formatSchema),
    options: Type.Optional(optionsSchema),
  },
  { ...strict, title: 'NewWebhook' },
);

export const webhookPatchSchema = Type.Object(
  {
    url: Type.Optional(urlSchema),
    events: Type.Optional(eventsSchema),
    labels: Type.Optional(
      labelsOf<Readonly<Record<string, string | null>> | null>(nullable(labelValueSchema), [
        'object',
        'null',
      ]),
    ),
    minCriticity: Type.Optional(minCriticitySchema),
    grouping: Type.Optional(groupingSchema),
    digest: Type.Optional(nullable(digestSchema)),
    quietHours: Type.Optional(nullable(quietHoursSchema)),
    language: Type.Optional(nullable(languageSchema)),
    format: Type.Optional(formatSchema),
    options: Type.Optional(nullable(optionsPatchSchema)),
  },
  { ...strict, title: 'WebhookPatch', description: 'Absent fields stay, null removes.' },
);

export const replaySchema = Type.Object(
  { position: positionSchema },
  {
    ...strict,
    title: 'WebhookReplay',
    description: 'All messages of events after this position are delivered again, with the same ids.',
  },
);

const progressSchema = Type.Object(
  {
    position: Type.String({
      description: 'All messages of events up to this position are delivered.',
      examples: ['1834'],
    }),
    failingSince: nullable(instantSchema, {
      description: 'First failed attempt of the next message.',
      examples: [null],
    }),
    failedAttempts: Type.Integer({ examples: [0] }),
    nextAttemptAt: nullable(instantSchema, { examples: [null] }),
  },
  { ...strict, title: 'WebhookProgress' },
);

const webhookFields = {
  id: webhookIdSchema,
  url: Type.String({
    description:
      'Address of the receiver; for slack and teams without its path, which is a secret; "erased" when the key of the ' +
      'webhook is lost.',
    examples: ['https://hooks.example.org/daybook'],
  }),
  events: eventsSchema,
  labels: labelsSchema,
  minCriticity: minCriticitySchema,
  grouping: groupingSchema,
  digest: nullable(digestSchema, { examples: [null] }),
  quietHours: nullable(quietHoursSchema, { examples: [null] }),
  language: nullable(languageSchema, { examples: [null] }),
  format: nullable(formatSchema, { description: 'Form of the messages; null for a mail.' }),
  options: Type.Array(Type.Enum([...receiverOptions]), {
    description: 'Names of the options that are set; their values are never answered.',
    examples: [[]],
  }),
  status: Type.Enum(['active', 'disabled']),
  disabledReason: nullable(
    Type.Enum([...disabledReasons], {
      description: 'failing: for 24 hours; gone: the receiver answered 410; keyLost: create another webhook.',
    }),
    { examples: [null] },
  ),
  disabledAt: nullable(instantSchema, { examples: [null] }),
  createdAt: instantSchema,
  previousSecretUntil: nullable(instantSchema, {
    description: 'Instant until which messages have a second signature, with the secret before.',
    examples: [null],
  }),
  delivery: progressSchema,
};

export const webhookSchema = Type.Object(webhookFields, { ...strict, title: 'Webhook' });

export const webhookSecretSchema = Type.Object(
  {
    ...webhookFields,
    secret: Type.String({
      description: 'Signing secret (Standard Webhooks). It is answered here and never again: store it.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
    }),
  },
  { ...strict, title: 'WebhookWithSecret' },
);

export const webhooksSchema = Type.Object(
  { webhooks: Type.Array(webhookSchema) },
  { ...strict, title: 'Webhooks' },
);

export const attemptSchema = Type.Object(
  {
    id: Type.String({
      description: 'Id of the message, as in the header webhook-id: the same at every attempt.',
      examples: ['5b0c1f0e-1d2c-5a3b-8c4d-0123456789ab'],
    }),
    type: Type.Enum([...messageTypes, 'digest', 'webhook.test', 'alert.refresh'], {
      description:
        'alert.refresh: open alerts that were sent to Alertmanager again; only failures are listed.',
    }),
    sourceId: nullable(sourceIdSchema),
    position: nullable(Type.String(), {
      description: 'Position of the event; of a digest, of its last event.',
      examples: ['1834'],
    }),
    at: instantSchema,
    attempt: Type.Integer({ description: 'Counted from 1 for each message.', examples: [1] }),
    status: nullable(Type.Integer(), {
      description: 'Status of the answer; the reply code of an SMTP server for a mail.',
      examples: [204],
    }),
    failure: nullable(Type.Enum([...sendFailures, 'keyLost']), {
      description: 'Why there was no answer; addressRefused: an address of a private network.',
      examples: [null],
    }),
    latencyMs: Type.Integer({ examples: [87] }),
    outcome: Type.Enum(['delivered', 'retrying', 'disabled', 'failed']),
  },
  { ...strict, title: 'DeliveryAttempt' },
);

export const attemptsQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: attemptsMax,
        default: attemptsUsual,
        description: `Number of attempts, newest first; ${attemptsUsual} by default.`,
        examples: [attemptsUsual],
      }),
    ),
  },
  strict,
);
export const attemptsCount = ({ limit = attemptsUsual }: { readonly limit?: number }): number => limit;

export const attemptsSchema = Type.Object(
  { deliveries: Type.Array(attemptSchema) },
  { ...strict, title: 'DeliveryAttempts' },
);

export const deletedWebhookSchema = Type.Object(
  { id: webhookIdSchema },
  { ...strict, title: 'DeletedWebhook' },
);
