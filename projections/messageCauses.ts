import type { Database } from 'better-sqlite3';
import { isUnprocessed, type AlertState, type Verdict } from '../domain/alerts/alertsState.js';
import type { AlertFinding, AlertKind, Deviation } from '../domain/alerts/findings.js';
import type { EventOf, KnownEvent } from '../domain/events.js';
import {
  descriptionFacts,
  descriptionIn,
  type SourceDescription,
} from '../domain/source/sourceDescription.js';
import type { IncidentFacts } from '../domain/incidents/incidents.js';
import { sourceOf, tenantOf } from '../domain/streams.js';
import { messageCauses, type MessageCauseType } from '../domain/webhooks/messageCauses.js';
import { cell, parsed, record, type ReadModel } from './readModel.js';

/** An alert right after an event. */
export type AlertThen = {
  readonly id: string;
  readonly date: string;
  readonly state: AlertState;
  readonly kind: AlertKind;
  /** Criticity of its finding, 0–1. */
  readonly criticity: number;
};

/** An event that may lead to messages, with the facts of that moment: later events change none of them. */
export type MessageCause = {
  readonly position: bigint;
  readonly eventId: string;
  readonly type: MessageCauseType;
  readonly at: string;
  readonly cause: string;
  readonly correlation: string;
  /** 0 for incidents. */
  readonly sourceId: number;
  /** null for an analysis and for incidents. */
  readonly alert: AlertThen | null;
  /** Verdict of a resolution, numbers of an analysis, incidents after an event of theirs, a mute that ended. */
  readonly detail: {
    readonly verdict?: Verdict;
    readonly analysis?: object;
    readonly incidents?: readonly IncidentFacts[];
    readonly muteId?: string;
  };
};

/** The finding of an alert and its deviation, derived for events without facts. */
export type FindingThen = { readonly finding: AlertFinding; readonly deviation: Deviation | null };

/** A moment in the log of a tenant. `about`: the only alert or incident that is looked at. */
export type MomentOf = {
  readonly tenant: string;
  readonly position: bigint;
  readonly about?: string | undefined;
};

/** Largest number of open alerts, or of incidents that wait, among which wanted ones are looked for: the latest. */
export const lookedMax = 1000;

const isArchival = `type in ('SourceArchived', 'SourceRestored')`;

/** Events that may lead to messages, by tenant; descriptions of sources by position. It follows the alerts. */
export const messageCausesModel: ReadModel = {
  name: 'messageCauses',
  version: 4,
  schema: `
    create table message_causes (
      position integer primary key,
      tenant text not null,
      event_id text not null,
      type text not null,
      at text not null,
      cause text not null,
      correlation text not null,
      source_id integer not null,
      alert_id text,
      date text,
      state text,
      kind text,
      criticity real,
      -- Only of events that found the alert, or found it again.
      finding text,
      deviation text,
      detail text not null
    ) strict;
    create table source_descriptions (
      source_id integer not null,
      position integer not null,
      description text not null,
      primary key (source_id, position)
    ) strict, without rowid;`,
  queryIndexes: [
    'message_causes_of_tenant on message_causes (tenant, position)',
    'message_causes_of_alert on message_causes (alert_id, position) where alert_id is not null',
    `message_causes_of_archival on message_causes (source_id, position) where ${isArchival}`,
  ],
  apply: db => {
    const describe = db.prepare(
      'insert into source_descriptions (source_id, position, description) values (?, ?, ?)',
    );
    const note = causeWriter(db);
    return event => {
      const { type, stream, position, data } = event;
      if (type === 'SourceCreated' || type === 'SourceDescribed')
        describe.run(sourceOf(stream), position, JSON.stringify(descriptionFacts(descriptionIn(data))));
      else if (isCause(event)) note(event);
    };
  },
};

type CauseEvent = EventOf<MessageCauseType>;
/** Whether an event may lead to messages. Models that a person edited or went back to are no news of an analysis. */
const isCause = (event: KnownEvent): event is CauseEvent =>
  Object.hasOwn(messageCauses, event.type) &&
  !(event.type === 'ModelsReset' && (event.data.restoredFrom ?? event.data.edited) !== undefined);

const detailOf = (event: CauseEvent): MessageCause['detail'] => {
  switch (event.type) {
    case 'AlertResolved':
      return { verdict: event.data.verdict };
    case 'AlertsGrouped':
    case 'IncidentAcknowledged':
    case 'IncidentReopened':
    case 'IncidentDecisionApplied':
    case 'IncidentSplit':
    case 'IncidentsMerged':
      return { incidents: event.data.incidents };
    case 'IncidentResolved':
      return { incidents: event.data.incidents, verdict: event.data.verdict };
    case 'MuteDeleted':
    case 'MuteEnded':
      return { muteId: event.data.muteId };
    case 'AnalysisFailed':
      return { analysis: event.data };
    case 'ModelsReset': {
      const { requestId, engine, modelsVersion, models } = event.data;
      return { analysis: { requestId, engine, modelsVersion, modelCount: models.length } };
    }
    default:
      return {};
  }
};

/** Returns a function that notes a cause. Sources and alerts have the event already. */
const causeWriter = (db: Database) => {
  const columns = 'position, tenant, event_id, type, at, cause, correlation, source_id, detail';
  const values = '$position, tenant, $eventId, $type, $at, $cause, $correlation, $sourceId, $detail';
  const ofAnalysis = db.prepare(
    `insert into message_causes (${columns}) select ${values} from sources where id = $sourceId`,
  );
  const ofTenant = db.prepare(
    `insert into message_causes (${columns}) values (${values.replace('tenant,', '$tenant,')})`,
  );
  const ofAlert = db.prepare(
    `insert into message_causes (${columns}, alert_id, date, state, kind, criticity, finding, deviation)
     select ${values}, id, date, state, kind, criticity,
       iif($finds, finding, null), iif($finds, deviation, null)
     from alerts where id = $alertId`,
  );
  return (event: CauseEvent): void => {
    const { position, id, type, at, stream, metadata, data } = event;
    const row = {
      ...{ position, eventId: id, type, at, cause: metadata.cause, correlation: metadata.correlation },
      ...{ sourceId: sourceOf(stream), detail: JSON.stringify(detailOf(event)) },
    };
    const tenant = tenantOf(stream);
    if (tenant !== undefined) return void ofTenant.run({ ...row, sourceId: 0, tenant });
    const finds = type === 'AlertRaised' || type === 'AlertConfirmed' ? 1 : 0;
    if ('alertId' in data) ofAlert.run({ ...row, alertId: data.alertId, finds });
    else ofAnalysis.run(row);
  };
};

type Row = Omit<MessageCause, 'sourceId' | 'alert' | 'detail'> & {
  readonly sourceId: bigint;
  readonly alertId: string | null;
  readonly date: string;
  readonly state: AlertState;
  readonly kind: AlertKind;
  readonly criticity: number;
  readonly detail: string;
};

const causeOf = ({ alertId, date, state, kind, criticity, ...row }: Row): MessageCause => ({
  ...row,
  sourceId: Number(row.sourceId),
  alert: alertId === null ? null : { id: alertId, date, state, kind, criticity },
  detail: parsed(row.detail),
});

/** Queries on sources that were archived or restored. */
const archivalQueries = (db: Database) => {
  const archival = cell<[number, bigint], string>(
    db,
    `select type from message_causes where source_id = ? and ${isArchival} and position <= ?
       order by position desc limit 1`,
  );
  const restored = db
    .prepare<[number, bigint, bigint], { position: bigint; at: string }>(
      `select position, at from message_causes
       where source_id = ? and ${isArchival} and position > ? and position <= ? and type = 'SourceRestored'
       order by position`,
    )
    .safeIntegers();
  return {
    /** Whether a source was archived at a position. */
    isArchivedAt: (sourceId: number, position: bigint): boolean =>
      archival(sourceId, position) === 'SourceArchived',
    /** The events that restored a source after a position, up to another one. */
    restoredBetween: (sourceId: number, after: bigint, to: bigint): { position: bigint; at: string }[] =>
      restored.all(sourceId, after, to),
  };
};

/** Queries on findings of alerts and descriptions of sources. */
const factQueries = (db: Database) => {
  const finding = db.prepare<[alertId: string, position: bigint], { finding: string; deviation: string }>(
    `select finding, deviation from message_causes
     where alert_id = ? and position <= ? and finding is not null order by position desc limit 1`,
  );
  const description = cell<[number, bigint], string>(
    db,
    `select description from source_descriptions
       where source_id = ? and position <= ? order by position desc limit 1`,
  );
  return {
    /** The finding of an alert at a position. */
    findingAt: record(finding, (row): FindingThen => ({
      finding: parsed(row.finding),
      deviation: parsed(row.deviation),
    })),
    /** Description of a source at a position. */
    describedAt: (sourceId: number, position: bigint): SourceDescription | undefined => {
      const text = description(sourceId, position);
      return text === undefined ? undefined : descriptionIn(parsed(text));
    },
  };
};

/** Queries on the events that may lead to messages. */
export const messageCauseQueries = (db: Database) => {
  const columns = `position, event_id as eventId, type, at, cause, correlation, source_id as sourceId,
    alert_id as alertId, date, state, kind, criticity, detail`;
  const after = db
    .prepare<[string, bigint, number], Row>(
      `select ${columns} from message_causes where tenant = ? and position > ?
       order by position limit cast(? as integer)`,
    )
    .safeIntegers();
  const ofAlert = db
    .prepare<[string, bigint, bigint], Row>(
      `select ${columns} from message_causes where alert_id = ? and position > ? and position <= ?
       order by position`,
    )
    .safeIntegers();
  // Alerts that are open, and those that changed after the position, as far as they were raised before it.
  const maybeOpen = db
    .prepare<{ tenant: string; position: bigint; sourceId: number | null }, string>(
      `select alert_id from (
         select alert_id, (select min(position) from message_causes where alert_id = one.alert_id) as raised
         from (
           select alert_id, source_id from open_alerts where tenant = $tenant
           union
           select alert_id, source_id from message_causes
           where tenant = $tenant and position > $position and alert_id is not null) as one
         where $sourceId is null or source_id = $sourceId)
       where raised <= $position order by raised desc`,
    )
    .pluck();
  const last = db
    .prepare<[alertId: string, to: bigint], Row>(
      `select ${columns} from message_causes where alert_id = ? and position <= ? order by position desc limit 1`,
    )
    .safeIntegers();
  const lastOfAlert = record(last, causeOf);
  return {
    ...archivalQueries(db),
    ...factQueries(db),
    /** The first causes of a tenant after a position. */
    after: (tenant: string, position: bigint, limit: number): MessageCause[] =>
      after.all(tenant, position, limit).map(causeOf),
    /** The causes of an alert after a position, up to another one, which is included. */
    ofAlert: (alertId: string, position: bigint, to: bigint): MessageCause[] =>
      ofAlert.all(alertId, position, to).map(causeOf),
    /** The last cause of an alert up to a position. */
    lastOfAlert,
    /**
     * The last cause of each of the latest alerts of a tenant that waited for a person at a position, oldest first.
     * @param sourceId only alerts of this source; null for those of all
     * @param about    only this alert
     * @param isWanted whether an alert is; asked for the latest ones, see `lookedMax`
     */
    openAlertsAt: (
      {
        about,
        isWanted = () => true,
        ...of
      }: MomentOf & { readonly sourceId: number | null; readonly isWanted?: (id: string) => boolean },
      limit: number,
    ): MessageCause[] => {
      const open: MessageCause[] = [];
      let looked = 0;
      for (const id of about === undefined ? maybeOpen.iterate(of) : [about]) {
        const cause = lastOfAlert(id, of.position);
        if (!cause?.alert || !isUnprocessed(cause.alert)) continue;
        if (isWanted(id)) open.unshift(cause);
        looked += 1;
        if (open.length >= limit || looked >= lookedMax) break;
      }
      return open;
    },
  };
};
