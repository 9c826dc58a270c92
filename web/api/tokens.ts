import { queryOptions, useMutation } from '@tanstack/react-query';
import type { RequestOf } from '../../client/index.js';
import { api } from './client.js';
import { useChange } from './mutations.js';

export type NewToken = RequestOf<'post', '/v1/token/create'>['body'];

/** Tokens in force, oldest first. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens', -1],
  queryFn: ({ signal }) => api.get('/v1/token/list', { signal }),
  refetchInterval: 60_000,
  retry: false,
});

/** A change of tokens. */
const useTokenRequest = <Sent, Got>(send: (sent: Sent) => Promise<Got>) =>
  useChange(send, ({ what }) => what === 'tokens');

/** Issues a token; the answer has it, once. */
export const useNewToken = () => useTokenRequest((body: NewToken) => api.post('/v1/token/create', { body }));

/** Revokes a token, with a reason or an empty one. */
export const useRevocation = (jti: string) =>
  useTokenRequest((reason: string) =>
    api.delete('/v1/token/{jti}', { params: { path: { jti }, query: reason === '' ? {} : { reason } } }),
  );

/** Whether the service was never used and takes the code of its start. */
export const isFirstStart = async (): Promise<boolean> => {
  const response = await fetch('/config.json');
  return response.ok && ((await response.json()) as { firstStart: boolean }).firstStart;
};

/** Gets the first token for the code of a start. */
export const useFirstToken = () =>
  useMutation({
    mutationFn: (body: { readonly code: string; readonly name: string }) =>
      api.post('/v1/first-token', { body }),
  });
