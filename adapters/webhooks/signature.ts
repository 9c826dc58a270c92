import { Webhook } from 'standardwebhooks';

/** Headers of Standard Webhooks. Each secret makes one signature, so that receivers may know either of two. */
export const signedHeaders = (
  { id, body, secrets }: { readonly id: string; readonly body: string; readonly secrets: readonly string[] },
  nowMs: number,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> => {
  const at = new Date(nowMs);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    'webhook-signature': secrets.map(secret => new Webhook(secret).sign(id, at, body)).join(' '),
  };
};
