import { queryOptions } from '@tanstack/react-query';
import type { RequestOf } from '../../client/index.js';
import { api } from './client.js';
import { useChange } from './mutations.js';

export type NewWebhook = RequestOf<'post', '/v1/webhook/create'>['body'];
export type WebhookPatch = NonNullable<RequestOf<'patch', '/v1/webhook/{webhook_id}'>['body']>;

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
    gcTime: 0,
  });

/** A change of receivers and of their attempts. */
const useReceiverRequest = <Sent, Got>(send: (sent: Sent) => Promise<Got>) =>
  useChange(send, ({ what }) => what === 'receivers' || what === 'attempts');

/** Makes a receiver; the answer has its secret, once. */
export const useNewReceiver = () =>
  useReceiverRequest((body: NewWebhook) => api.post('/v1/webhook/create', { body }));

const pathOf = (id: string) => ({ params: { path: { webhook_id: id } } });

export const useReceiverChange = (id: string) =>
  useReceiverRequest((body: WebhookPatch) => api.patch('/v1/webhook/{webhook_id}', { ...pathOf(id), body }));

/** Sends a message of type `webhook.test`. */
export const useTrial = (id: string) =>
  useReceiverRequest(() => api.post('/v1/webhook/{webhook_id}/test', pathOf(id)));

/** Stops or starts the messages, or deletes the receiver. */
export const useReceiverAct = (id: string) =>
  useChange(
    async (act: 'disable' | 'enable' | 'delete'): Promise<void> => {
      if (act === 'delete') await api.delete('/v1/webhook/{webhook_id}', pathOf(id));
      else await api.post(`/v1/webhook/{webhook_id}/${act}`, pathOf(id));
    },
    // The attempts of a deleted receiver are gone.
    ({ what }) => what === 'receivers',
  );
