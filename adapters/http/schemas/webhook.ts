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
import {
  instantSchema,
  nullable,
  sourceIdSchema,
  text,
  number,
  described,
  integer,
  object,
  named,
} from './common.js';

const attemptsUsual = 100;

const webhookIdSchema = Type.String({
  maxLength: 40,
  examples: ['3d2b8f0e-6a1c-5f4d-8e7b-90a1b2c3d4e5'],
});
const urlSchema = text(
  'Address of the receiver: https or http in a public network, or mailto: with one mail address.',
  'https://hooks.example.org/daybook',
  { minLength: 1, maxLength: urlLengthMax },
);
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
const minCriticitySchema = number('Least criticity of an alert.', 0.9, { minimum: 0, maximum: 1 });
const groupingSchema = Type.Enum([...groupings], {
  description: 'incident: messages about alerts are about incidents, one for each cause.',
  examples: ['incident'],
});
const timeOfDaySchema = (description: string, example: string) =>
  text(description, example, { pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' });
const digestAtSchema = timeOfDaySchema('Time of one of the digests; 00:00 by default.', '08:00');
const digestFields = {
  everyMinutes: Type.Enum([...digestMinutes], { description: 'Minutes between digests.', examples: [1440] }),
  at: Type.Optional(digestAtSchema),
};
const digestSchema = described(
  'Digest',
  'Messages wait for the next digest, at times of the day in the time zone of their source.',
  digestFields,
);
const quietMinSchema = number('Least criticity of alerts that do not wait; without it all wait.', 0.99, {
  minimum: 0,
  maximum: 1,
});
const quietHoursFields = {
  from: timeOfDaySchema('Beginning.', '22:00'),
  to: timeOfDaySchema('End; before from for an end on the next day.', '07:00'),
  minCriticity: Type.Optional(quietMinSchema),
};
const quietHoursSchema = described(
  'QuietHours',
  'Times of the day in the time zone of a source at which its messages wait.',
  quietHoursFields,
);
const digestPatchSchema = described('DigestPatch', 'Absent fields stay, null removes.', {
  everyMinutes: Type.Optional(digestFields.everyMinutes),
  at: Type.Optional(nullable(digestAtSchema)),
});
const quietHoursPatchSchema = described('QuietHoursPatch', 'Absent fields stay, null removes.', {
  from: Type.Optional(quietHoursFields.from),
  to: Type.Optional(quietHoursFields.to),
  minCriticity: Type.Optional(nullable(quietMinSchema)),
});
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
  routingKey: text('pagerduty: integration key of the service there.', '0123456789abcdef0123456789abcdef', {
    pattern: '^[A-Za-z0-9]{32}$',
  }),
  topic: text('ntfy: topic of the messages.', 'daybook-hall', { pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  token: text('ntfy, alertmanager: token of the header Authorization.', 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2', {
    pattern: '^[!-~]{1,500}$',
  }),
  priority: integer('ntfy: priority of all messages; by default it follows the severity.', 4, {
    minimum: 1,
    maximum: 5,
  }),
};
const optionsText =
  'Values that the format needs. They are stored encrypted and never answered: answers name those that are set.';
const optionsSchema = described(
  'ReceiverOptions',
  optionsText,
  Type.Partial(object(optionSchemas)).properties,
);
const optionsPatchSchema = described(
  'ReceiverOptionsPatch',
  `${optionsText} Absent ones stay, null removes.`,
  {
    routingKey: Type.Optional(nullable(optionSchemas.routingKey)),
    topic: Type.Optional(nullable(optionSchemas.topic)),
    token: Type.Optional(nullable(optionSchemas.token)),
    priority: Type.Optional(nullable(optionSchemas.priority)),
  },
);
const positionSchema = text('A position of the log.', '1834', { pattern: '^(0|[1-9]\\d{0,17})$' });

export const webhookParams = object({ webhook_id: webhookIdSchema });

export const newWebhookSchema = named('NewWebhook', {
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
});

export const webhookPatchSchema = described('WebhookPatch', 'Absent fields stay, null removes.', {
  url: Type.Optional(urlSchema),
  events: Type.Optional(eventsSchema),
  labels: Type.Optional(
    labelsOf<Readonly<Record<string, string | null>> | null>(nullable(labelValueSchema), ['object', 'null']),
  ),
  minCriticity: Type.Optional(minCriticitySchema),
  grouping: Type.Optional(groupingSchema),
  digest: Type.Optional(nullable(digestPatchSchema)),
  quietHours: Type.Optional(nullable(quietHoursPatchSchema)),
  language: Type.Optional(nullable(languageSchema)),
  format: Type.Optional(formatSchema),
  options: Type.Optional(nullable(optionsPatchSchema)),
});

export const replaySchema = described(
  'WebhookReplay',
  'All messages of events after this position are delivered again, with the same ids.',
  { position: positionSchema },
);

const progressSchema = named('WebhookProgress', {
  position: text('All messages of events up to this position are delivered.', '1834'),
  failingSince: nullable(instantSchema, {
    description: 'First failed attempt of the next message.',
    examples: [null],
  }),
  failedAttempts: Type.Integer({ examples: [0] }),
  nextAttemptAt: nullable(instantSchema, { examples: [null] }),
});

const webhookFields = {
  id: webhookIdSchema,
  url: text(
    'Address of the receiver; for slack and teams without its path, which is a secret; "erased" when the key of the ' +
      'webhook is lost.',
    'https://hooks.example.org/daybook',
  ),
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

export const webhookSchema = named('Webhook', webhookFields);

export const webhookSecretSchema = named('WebhookWithSecret', {
  ...webhookFields,
  secret: text(
    'Signing secret (Standard Webhooks). It is answered here and never again: store it.',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  ),
});

export const webhooksSchema = named('Webhooks', { webhooks: Type.Array(webhookSchema) });

export const attemptSchema = named('DeliveryAttempt', {
  id: text(
    'Id of the message, as in the header webhook-id: the same at every attempt.',
    '5b0c1f0e-1d2c-5a3b-8c4d-0123456789ab',
  ),
  type: Type.Enum([...messageTypes, 'digest', 'webhook.test', 'alert.refresh'], {
    description: 'alert.refresh: open alerts that were sent to Alertmanager again; only failures are listed.',
  }),
  sourceId: nullable(sourceIdSchema),
  position: nullable(Type.String(), {
    description: 'Position of the event; of a digest, of its last event.',
    examples: ['1834'],
  }),
  at: instantSchema,
  attempt: integer('Counted from 1 for each message.', 1),
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
});

export const attemptsQuery = object({
  limit: Type.Optional(
    integer(`Number of attempts, newest first; ${attemptsUsual} by default.`, attemptsUsual, {
      minimum: 1,
      maximum: attemptsMax,
      default: attemptsUsual,
    }),
  ),
});
export const attemptsCount = ({ limit = attemptsUsual }: { readonly limit?: number }): number => limit;

export const attemptsSchema = named('DeliveryAttempts', { deliveries: Type.Array(attemptSchema) });

export const deletedWebhookSchema = named('DeletedWebhook', { id: webhookIdSchema });
