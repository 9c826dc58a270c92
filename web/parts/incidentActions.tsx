import { useIncidentAct } from '../api/incidentMutations.js';
import type { Decision } from '../api/mutations.js';
import type { Incident, Verdict } from '../api/client.js';
import { useMessages } from '../messages/messages.js';
import { useToast } from './Toasts.js';
import { whenDone } from './drafts.js';

/** States from which an incident can be resolved. */
export const resolvableIncident: readonly Incident['state'][] = ['open', 'acknowledged', 'ended'];
/** States from which an incident can be reopened. */
export const reopenable: readonly Incident['state'][] = ['acknowledged', 'resolved'];

/** The instant until which an incident is muted; null also when that has passed. */
export const mutedNow = ({ mutedUntil }: Pick<Incident, 'mutedUntil'>): string | null =>
  mutedUntil !== null && Date.parse(mutedUntil) > Date.now() ? mutedUntil : null;

/** Number of the alerts of an incident on one date, as of several sources; undefined where its sentence has it. */
export const alertsOfOneDate = ({ since, until, counts }: Incident): number | undefined => {
  const alerts = counts.open + counts.acknowledged + counts.resolved + counts.ended;
  return since === until && alerts > 1 ? alerts : undefined;
};

/** Name of the source of an incident; of several the first and the number of the others. */
export const useSourcesText = (): ((incident: Pick<Incident, 'sources'>) => string) => {
  const { incidents: texts } = useMessages();
  return ({ sources: [first, ...others] }) =>
    first === undefined ? '' : others.length === 0 ? first.name : texts.sources(first.name, others.length);
};

/** Decisions about incidents with a message; acknowledging and resolving have an undo. */
export const useIncidentActions = () => {
  const { alerts, incidents: texts } = useMessages();
  const tell = useToast();
  const { mutateAsync, isPending } = useIncidentAct();
  const run = (act: Decision, text: (count: number) => string, done?: () => void, undo = false): void =>
    whenDone(
      mutateAsync(act),
      ({ done: ids, refusal }) => {
        const words = refusal === null ? text(ids.length) : texts.notAll(ids.length, act.ids.length, refusal);
        tell(words, undo ? () => reopen(ids) : undefined);
        done?.();
      },
      error => tell(alerts.failed(error)),
    );
  const reopen = (ids: readonly string[]): void => run({ act: 'reopen', ids }, texts.reopened);
  return {
    isPending,
    reopen,
    acknowledge: (ids: readonly string[]): void =>
      run({ act: 'acknowledge', ids }, texts.acknowledged, undefined, true),
    resolve: (ids: readonly string[], verdict: Verdict, comment: string | null, done?: () => void): void =>
      run({ act: 'resolve', ids, verdict, comment }, texts.resolved, done, true),
  };
};
