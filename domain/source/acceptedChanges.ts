import type { MeasuredChange } from '../incidents/changes.js';
import { lookUp, type Keyed } from '../keyed.js';
import { Rejection } from '../rejection.js';

// Changes that people took as the new normal: days from a date on are expected with them.

/** An accepted change of a source: at most one an incident. */
export type AcceptedChange = MeasuredChange & {
  readonly incidentId: string;
  /** For `opening` and `shape`: the models that it moves. Other changes move all. */
  readonly modelIds?: readonly number[];
};

/** Events of `source-{id}` about accepted changes. */
export type AcceptanceEvent =
  | {
      readonly type: 'ChangeAccepted';
      readonly data: { readonly requestId: string; readonly change: AcceptedChange };
    }
  /** `from` is that of the change: days from there on are checked again. */
  | {
      readonly type: 'ChangeWithdrawn';
      readonly data: { readonly requestId: string; readonly incidentId: string; readonly from: string };
    };

export type AcceptanceCommand =
  | { readonly type: 'AcceptChange'; readonly requestId: string; readonly change: AcceptedChange }
  | { readonly type: 'WithdrawChange'; readonly requestId: string; readonly incidentId: string };

/** The accepted changes of a source in the order in which they apply. */
export type AcceptedState = {
  readonly accepted: readonly AcceptedChange[];
  readonly requests: Keyed<true>;
};

/** Largest number of accepted changes of a source. */
export const acceptedMax = 20;

/**
 * Decides whether a change is accepted or withdrawn. The same again changes nothing.
 * @throws Rejection `incidentTransition` for more than 20 changes
 */
export const decideAcceptance = (
  command: AcceptanceCommand,
  { accepted, requests }: AcceptedState,
): readonly AcceptanceEvent[] => {
  const { requestId } = command;
  if (lookUp(requests, requestId)) return [];
  const incidentId = command.type === 'AcceptChange' ? command.change.incidentId : command.incidentId;
  const known = accepted.find(one => one.incidentId === incidentId);
  if (command.type === 'WithdrawChange')
    return known ? [{ type: 'ChangeWithdrawn', data: { requestId, incidentId, from: known.from } }] : [];
  if (known)
    throw new Rejection(
      'incidentTransition',
      `the change of incident ${incidentId} is accepted from ${known.from} on: withdraw the acceptance first`,
    );
  if (accepted.length >= acceptedMax)
    throw new Rejection(
      'incidentTransition',
      `got accepted change ${acceptedMax + 1} of the source, expected at most ${acceptedMax}: ` +
        'withdraw one, or learn the source again',
    );
  return [{ type: 'ChangeAccepted', data: { requestId, change: command.change } }];
};

/** Accepted changes after one of their events. */
export const evolveAccepted = (
  accepted: readonly AcceptedChange[],
  event: AcceptanceEvent,
): readonly AcceptedChange[] =>
  event.type === 'ChangeAccepted'
    ? [...accepted, event.data.change]
    : accepted.filter(({ incidentId }) => incidentId !== event.data.incidentId);

/** Whether an accepted change stays with a longer reference: one that reaches its date was learned with it. */
export const staysBehind = ({ from }: AcceptedChange, reference: { readonly to: string }): boolean =>
  from > reference.to;

/** Whether an accepted change stays with new models: one that moves some models only ends with them. */
export const staysWithNewModels = ({ modelIds }: AcceptedChange): boolean => modelIds === undefined;
