import { useAlertAct } from '../api/mutations.js';
import type { Alert, Verdict } from '../api/types.js';
import { useMessages } from '../messages/messages.js';
import { useToast } from './Toasts.js';

/** States from which an alert can be resolved, including `ended`. */
export const resolvable: readonly Alert['state'][] = ['open', 'acknowledged', 'ended'];

/** Actions on alerts with a message, and an undo if the API has one. */
export const useAlertActions = () => {
  const { alerts: texts } = useMessages();
  const tell = useToast();
  const { mutate, isPending } = useAlertAct();
  const failed = (error: Error): void => tell(texts.failed(error.message));
  const reopen = (ids: readonly string[]): void =>
    mutate({ act: 'reopen', ids }, { onSuccess: () => tell(texts.reopened(ids.length)), onError: failed });
  return {
    isPending,
    reopen,
    acknowledge: (ids: readonly string[]): void =>
      mutate(
        { act: 'acknowledge', ids },
        { onSuccess: () => tell(texts.acknowledged(ids.length)), onError: failed },
      ),
    resolve: (ids: readonly string[], verdict: Verdict, comment: string | null, done?: () => void): void =>
      mutate(
        { act: 'resolve', ids, verdict, comment },
        {
          onSuccess: () => {
            tell(texts.resolved(ids.length), () => reopen(ids));
            done?.();
          },
          onError: failed,
        },
      ),
  };
};
