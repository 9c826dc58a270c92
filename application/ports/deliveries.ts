import type { ReceiverFormat, MailLanguage, MessageType } from '../../domain/webhooks/webhookTarget.js';

/** Why a request to a receiver had no answer. `addressRefused`: an address of a private network. */
export const sendFailures = ['timeout', 'unreachable', 'tls', 'protocol', 'addressRefused'] as const;
export type SendFailure = (typeof sendFailures)[number];

/** Result of one request to a receiver. */
export type Sent = {
  readonly latencyMs: number;
  /** Status of the answer; null without an answer. */
  readonly status: number | null;
  readonly failure: SendFailure | null;
  /** Wait that the receiver asked for. */
  readonly retryAfterMs?: number;
};

/** Whether an answer says that the message was accepted. */
export const isAccepted = ({ status }: Pick<Sent, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300;

/** A request to a receiver. */
export type Outgoing = {
  readonly tenant: string;
  readonly url: string;
  /** Id of the message: the same at every attempt. */
  readonly id: string;
  readonly body: string;
  readonly webhookId: string;
  /** Language of a mail; absent for English. */
  readonly language?: MailLanguage | undefined;
  /** Absent for a CloudEvent, which is signed. */
  readonly format?: ReceiverFormat | undefined;
  /** Value of the header `Authorization`; absent for none. */
  readonly authorization?: string;
  /** Secrets to sign a CloudEvent with, the newest first. */
  readonly secrets: readonly string[];
};

/** Sends requests to receivers. */
export type WebhookSender = {
  /** Sends one request; never throws. The signal ends it early. */
  readonly send: (request: Outgoing, signal: AbortSignal) => Promise<Sent>;
};

/** One attempt to deliver a message. */
export type Attempt = {
  /** Id of the message. */
  readonly id: string;
  readonly type: MessageType | 'digest' | 'webhook.test' | 'alert.refresh';
  /** null for a test, a digest and a refresh. */
  readonly sourceId: number | null;
  /** Position of the event in the log, of a digest the last one, in decimal digits; null for a test and a refresh. */
  readonly position: string | null;
  /** Instant of the attempt. */
  readonly at: string;
  /** Counted from 1 for each message. */
  readonly attempt: number;
  readonly status: number | null;
  readonly failure: SendFailure | 'keyLost' | null;
  readonly latencyMs: number;
  readonly outcome: 'delivered' | 'retrying' | 'disabled' | 'failed';
};

/** Attempts of the message that is not delivered yet. */
export type Failing = {
  readonly eventId: string;
  /** See `WebhookRecord`: failures before the webhook was enabled again do not count. */
  readonly activation: number;
  readonly since: string;
  readonly attempts: number;
  readonly nextAt: string;
  /** Wait before the next attempt, and the sum of the waits before it, in ms; absent in older states. */
  readonly waitMs?: number;
  readonly waitedMs?: number;
};

/** How far a webhook has delivered. */
export type DeliveryState = {
  /** All messages of events up to this position are delivered. */
  readonly cursor: bigint;
  /**
   * Sources whose messages are delivered beyond the cursor, with the position of the last one in decimal digits: those
   * of another source wait for a digest or the end of quiet hours.
   */
  readonly ahead: Readonly<Record<string, string>>;
  /** The last replay that was begun. */
  readonly replayId: string | null;
  /** Position of its request in decimal digits; absent in older states. */
  readonly replayPosition?: string;
  readonly failing: Failing | null;
  /** When the open alerts were sent again last, in ms since 1970; absent for receivers that do not forget them. */
  readonly refreshedAtMs?: number;
};

/** Result of a claim. `busyUntilMs`: another instance delivers; it may be gone after that time. */
export type Claim = { readonly state: DeliveryState | undefined } | { readonly busyUntilMs: number };

/** Largest number of attempts that are stored for each webhook. */
export const attemptsMax = 1000;

/**
 * Progress and attempts of webhooks, outside the log. One instance at a time works on a webhook.
 * @throws StoreUnavailable
 */
export type DeliveryStore = {
  /** Reserves a webhook for this instance until `release` or a lease of one minute after the last `save`. */
  readonly claim: (webhookId: string) => Promise<Claim>;
  /**
   * Stores progress, with the attempt that led to it.
   * @returns false when another instance has taken the webhook over: nothing was stored
   */
  readonly save: (webhookId: string, state: DeliveryState, attempt?: Attempt) => Promise<boolean>;
  readonly release: (webhookId: string) => Promise<void>;
  /** Stores the attempt of a test message. */
  readonly note: (webhookId: string, attempt: Attempt) => Promise<void>;
  readonly state: (webhookId: string) => Promise<DeliveryState | undefined>;
  /** The last attempts, newest first. */
  readonly attempts: (webhookId: string, limit: number) => Promise<readonly Attempt[]>;
  /** Deletes everything stored about a webhook. */
  readonly forget: (webhookId: string) => Promise<void>;
  /**
   * Takes back progress beyond the end of a log that was restored from a backup. Absent for stores on the server of
   * the log.
   * @returns the number of webhooks with such progress
   */
  readonly cutTo?: (end: bigint) => number;
  readonly close: () => void;
};
