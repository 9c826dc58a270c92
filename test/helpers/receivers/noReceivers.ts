import type { ServiceParts } from '../../../adapters/composition/startService.js';

/** Webhooks of a service without a network: every address is valid, every message is accepted. */
export const noReceivers: ServiceParts['webhooks'] = {
  sender: { send: async () => ({ latencyMs: 0, status: 200, failure: null }) },
  addressFault: () => undefined,
};
