import { queryOptions } from '@tanstack/react-query';
import type { RequestOf } from '../../../client/index.js';
import { api, type Webhook } from '../../api/client.js';
import { mergedList } from '../../api/mergedList.js';
import { useChange } from '../../api/mutations.js';
import { forgetKeys } from '../../api/requestKeys.js';
import { mergePatch } from '../settings/mergePatch.js';
import { pairsOf } from '../../parts/PairsArea.js';

type NewWebhook = RequestOf<'post', '/v1/webhook/create'>['body'];
type WebhookPatch = NonNullable<RequestOf<'patch', '/v1/webhook/{webhook_id}'>['body']>;

/** Receivers deliver by themselves: no change of a source tells how far they are. */
const refetchMs = 30_000;
const queryKey = ['receivers', -1] as const;

/** Receivers of messages, oldest first. */
export const receiversQuery = queryOptions({
  queryKey,
  queryFn: ({ signal }) => api.get('/v1/webhook/list', { signal }),
  refetchInterval: refetchMs,
});

/** The last attempts of a receiver, newest first. */
export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: ['attempts', -1, id],
    queryFn: ({ signal }) =>
      api.get('/v1/webhook/{webhook_id}/deliveries', {
        params: { path: { webhook_id: id }, query: { limit: 10 } },
        signal,
      }),
    refetchInterval: refetchMs,
    gcTime: 0,
  });

/** A change of receivers and of their attempts. */
const useReceiverRequest = <Sent, Got>(
  send: Parameters<typeof useChange<Sent, Got>>[0],
  options?: Parameters<typeof useChange<Sent, Got>>[2],
) => useChange(send, ({ what }) => what === 'receivers' || what === 'attempts', options);

/** Makes a receiver; the answer has its secret, once. */
export const useNewReceiver = () =>
  useReceiverRequest((body: NewWebhook, once) => api.post('/v1/webhook/create', { body, ...once }), {
    mutationKey: ['receiver'],
  });

const pathOf = (id: string) => ({ params: { path: { webhook_id: id } } });

/** Changes a receiver from the fields that its form began with; what others changed since then stays. */
export const useReceiverChange = (id: string) =>
  useReceiverRequest(async ({ opened, typed }: { readonly opened: Typed; readonly typed: Typed }) => {
    const patch = patchOf(opened, typed);
    const stored = patch.events && (await api.get('/v1/webhook/{webhook_id}', pathOf(id))).events;
    return api.patch('/v1/webhook/{webhook_id}', {
      ...pathOf(id),
      body: stored ? { ...patch, events: mergedList(opened.events, typed.events, stored) } : patch,
    });
  });

/** Sends a message of type `webhook.test`. */
export const useTrial = (id: string) =>
  useReceiverRequest(() => api.post('/v1/webhook/{webhook_id}/test', pathOf(id)));

/** Stops or starts the messages, or deletes the receiver. */
export const useReceiverAct = (id: string) =>
  useChange(
    async (act: 'disable' | 'enable' | 'delete'): Promise<void> => {
      if (act === 'delete') {
        await api.delete('/v1/webhook/{webhook_id}', pathOf(id));
        forgetKeys('receiver');
      } else await api.post(`/v1/webhook/{webhook_id}/${act}`, pathOf(id));
    },
    // The attempts of a deleted receiver are gone.
    ({ what }) => what === 'receivers',
  );

/** Kinds of receivers that people choose from: the formats, and mail. */
export const kinds = ['mail', 'slack', 'teams', 'pagerduty', 'ntfy', 'alertmanager', 'cloudevents'] as const;
export type Kind = (typeof kinds)[number];

export type MessageType = Webhook['events'][number];
export type Option = Webhook['options'][number];

type KindRules = {
  /** Options of the kind, those that it needs first. */
  readonly needs: readonly Option[];
  readonly takes: readonly Option[];
  readonly digest: boolean;
  readonly quietHours: boolean;
  readonly analyses: boolean;
  readonly language: boolean;
  /** Address that most receivers of the kind have. */
  readonly usual: string;
};

const rules: KindRules = {
  ...{ needs: [], takes: [], usual: '' },
  ...{ digest: true, quietHours: true, analyses: true, language: true },
};

/** Fields of each kind, as the service takes them. */
export const kindRules: Readonly<Record<Kind, KindRules>> = {
  mail: rules,
  slack: rules,
  teams: rules,
  pagerduty: {
    ...rules,
    needs: ['routingKey'],
    digest: false,
    usual: 'https://events.pagerduty.com/v2/enqueue',
  },
  ntfy: { ...rules, needs: ['topic'], takes: ['token', 'priority'], usual: 'https://ntfy.sh' },
  alertmanager: { ...rules, takes: ['token'], digest: false, quietHours: false, analyses: false },
  cloudevents: { ...rules, language: false },
};

/** Contents of the fields until they are sent. */
export type Typed = {
  readonly kind: Kind;
  readonly url: string;
  /** Empty to leave one as it is. */
  readonly options: Readonly<Record<Option, string>>;
  /** Options that are taken away. */
  readonly removed: readonly Option[];
  readonly language: 'en' | 'fr';
  readonly events: readonly MessageType[];
  readonly minCriticity: string;
  /** One `key: value` a line: values may have commas. */
  readonly labels: string;
  /** Empty for messages at once. */
  readonly everyMinutes: string;
  readonly digestAt: string;
  readonly quietFrom: string;
  readonly quietTo: string;
};

const mailto = 'mailto:';
/** The end of an address whose secret part is not answered. */
const hidden = '/…';

/** Kind of a receiver. */
export const kindOf = ({ format }: Webhook): Kind => format ?? 'mail';

/** Address of a receiver as people read it. */
export const addressOf = ({ url }: Webhook): string =>
  url.startsWith(mailto) ? url.slice(mailto.length) : url;

/** Fields of a new receiver. */
export const newTyped = (kind: Kind, events: readonly MessageType[], language: 'en' | 'fr'): Typed => ({
  kind,
  url: kindRules[kind].usual,
  options: { routingKey: '', topic: '', token: '', priority: '' },
  removed: [],
  language,
  events: events.filter(type => isUsual(type) && (kindRules[kind].analyses || !isOfAnalysis(type))),
  minCriticity: '0',
  labels: '',
  everyMinutes: '',
  digestAt: '08:00',
  quietFrom: '',
  quietTo: '',
});

/** Whether a new receiver gets a type: one message for each cause. */
const isUsual = (type: MessageType): boolean => type.startsWith('incident.') || isOfAnalysis(type);

/** Whether a type of messages is about an analysis. */
export const isOfAnalysis = (type: MessageType): boolean => type.startsWith('analysis.');

/** Fields of a receiver that is changed. */
export const typedOf = (webhook: Webhook): Typed => ({
  ...newTyped(kindOf(webhook), [], webhook.language ?? 'en'),
  events: webhook.events,
  url: webhook.url.endsWith(hidden) ? '' : addressOf(webhook),
  minCriticity: String(webhook.minCriticity),
  labels: Object.entries(webhook.labels)
    .map(label => label.join(': '))
    .join('\n'),
  everyMinutes: webhook.digest ? String(webhook.digest.everyMinutes) : '',
  digestAt: webhook.digest?.at ?? '00:00',
  quietFrom: webhook.quietHours?.from ?? '',
  quietTo: webhook.quietHours?.to ?? '',
});

const optionsOf = ({ kind, options }: Typed): NonNullable<NewWebhook['options']> => {
  const { needs, takes } = kindRules[kind];
  const given = [...needs, ...takes].filter(name => options[name] !== '');
  return Object.fromEntries(
    given.map(name => [name, name === 'priority' ? Number(options[name]) : options[name].trim()]),
  );
};

type Times = Pick<NewWebhook, 'digest' | 'quietHours'>;

const timesOf = (typed: Typed): Times => {
  const { everyMinutes, digestAt, quietFrom, quietTo } = typed;
  const allowed = kindRules[typed.kind];
  return {
    ...(allowed.digest &&
      everyMinutes !== '' && {
        digest: { everyMinutes: Number(everyMinutes) as 1440, ...(digestAt !== '' && { at: digestAt }) },
      }),
    ...(allowed.quietHours &&
      quietFrom !== '' &&
      quietTo !== '' && { quietHours: { from: quietFrom, to: quietTo } }),
  };
};

const filterOf = ({ kind, events, minCriticity, language }: Typed) => ({
  events: [...events],
  minCriticity: Number(minCriticity),
  ...(kindRules[kind].language && { language }),
});

const urlOf = ({ kind, url }: Typed): string => (kind === 'mail' ? `${mailto}${url.trim()}` : url.trim());

/** A new receiver from its fields. */
export const creationOf = (typed: Typed): NewWebhook => {
  const options = optionsOf(typed);
  return {
    url: urlOf(typed),
    ...(typed.kind !== 'mail' && { format: typed.kind }),
    ...filterOf(typed),
    labels: Object.fromEntries(pairsOf(typed.labels, ':')),
    ...timesOf(typed),
    ...(Object.keys(options).length > 0 && { options }),
  };
};

/** The merge patch of what a person changed. @param opened fields at first */
const patchOf = (opened: Typed, typed: Typed): WebhookPatch => {
  const next = creationOf({ ...typed, url: typed.url.trim() || opened.url });
  const patch: WebhookPatch = mergePatch(creationOf(opened), next);
  const removed = Object.fromEntries(typed.removed.map(name => [name, null]));
  return {
    ...patch,
    ...(typed.removed.length > 0 && { options: { ...patch.options, ...removed } }),
  };
};
