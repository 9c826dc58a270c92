import { createHash, type Hash } from 'node:crypto';
import { decode, type KnownEvent, type Recorded } from '../../../domain/events.js';
import type { CalendarEvent } from '../../../domain/planning/calendarRules.js';
import type { AppliedRuleEvent } from '../../../domain/planning/specialDays.js';
import { isOfCalendar } from '../../../application/decisions/sourceHistory.js';
import { latestTomorrow } from '../../../domain/futureDays.js';
import { streams } from '../../../domain/streams.js';
import { asOf, type AsOf } from '../../../application/requests/history/asOf.js';
import { sourceIdOf } from '../../../application/requests/history/auditTrail.js';
import { explainAlert, type Explanation } from '../../../application/requests/history/explainAlert.js';
import { turns } from '../../../application/ports/sharing/turns.js';
import type { EventStore } from '../../../application/ports/eventStore.js';
import type { Exported } from '../../../auditing/eventBytes.js';
import { alertBounds, dayDetails } from '../../../application/requests/dayDetails.js';
import type { LimitLevels } from '../../../analysis/findings/limitLevels.js';
import type { UsualRange } from '../../../analysis/findings/usualRange.js';
import type { Day } from '../../../domain/day.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { SourceCreation } from '../../../domain/source/sourceState.js';
import type { CountedSource } from '../../../projections/sources/sourceRecords.js';
import { openTemporaryReadModels, peopleFile } from '../../composition/openLog.js';
import { system } from '../../environment.js';
import { SettingsError } from '../../settings/values.js';
import { plain } from '../terminal/text.js';
import type { LineReader } from '../audit/verifyLog.js';
import type { Report } from '../audit/report.js';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { authorOf, type Author } from '../../../application/ports/people.js';
import { keysIn } from '../../privacy/keys.js';
import { keyIdsIn, openedJson } from '../../privacy/people.js';
import { openReadOnly } from '../../sqlite/readOnly.js';
import type { LogInput } from '../audit/logInput.js';

/** Opens the sealed texts in a JSON text. */
type OpenNames = (json: string) => string;

/**
 * Opens names of people with the keys next to a log file of the embedded store.
 * @throws SettingsError when there are no keys, StoreUnavailable for a damaged one: its person is not erased
 */
export const openNames = (input: LogInput): { readonly open: OpenNames; readonly close: () => void } => {
  const file = input.kind === 'sqlite' ? join(dirname(input.file), peopleFile) : undefined;
  if (file === undefined || !existsSync(file))
    throw new SettingsError(
      `--names: expected a data folder with ${peopleFile}, which has the keys of people`,
    );
  const db = openReadOnly(file);
  const byId = keysIn(db, plain(file));
  return {
    open: json => {
      const keys = [...keyIdsIn(json)].flatMap(id => byId(id) ?? []);
      return openedJson(json, new Map(keys.map(key => [key.id, key])));
    },
    close: () => void db.close(),
  };
};

/** Authors of events by their stored form, with names and kinds opened. */
type OpenedAuthors = ReadonlyMap<string, Author>;

/** Opens the authors of events. */
export const openedAuthors = (authors: Iterable<string>, open: OpenNames): OpenedAuthors =>
  new Map([...new Set(authors)].map(by => [by, JSON.parse(open(JSON.stringify(authorOf(by)))) as Author]));

const sealed = /^sealed:1:([0-9a-f]{32}):/;
/** Digits of a key id that tell people apart on paper. */
const idDigits = 8;

/**
 * How a report calls the authors of events: people by name in quotes where it is known, else as a numbered person. The
 * quotes tell a person with the name "the service" from the service.
 * @param opened authors whose names may be shown
 * @returns a function from `by` of an event's metadata to a name
 */
export const authorNames = (
  authors: Iterable<string>,
  opened: OpenedAuthors = new Map(),
): ((by: string) => string) => {
  const numbers = new Map<string, number>();
  for (const by of authors) {
    const [, id] = sealed.exec(by) ?? [];
    if (id !== undefined && !numbers.has(id)) numbers.set(id, numbers.size + 1);
  }
  return stored => {
    const { by, byKind } = opened.get(stored) ?? authorOf(stored);
    if (byKind === 'service') return 'the service';
    if (byKind === 'person') return `“${plain(by)}”`;
    const [, id = ''] = sealed.exec(stored) ?? [];
    const erased = byKind === 'erased' ? 'erased ' : '';
    return `${erased}person ${numbers.get(id) ?? '?'} (key ${id.slice(0, idDigits)}…)`;
  };
};

/** A text of a person in quotes, or a note that it is sealed. */
export const quotedText = (text: string): string =>
  sealed.test(text) ? '(sealed text)' : `“${plain(text)}”`;

/** A file or a log that the report is about, with the SHA-256 of its bytes. */
export type Input = { readonly role: string; readonly name: string; readonly sha256: string };

/** An alert with everything that its dossier shows, as its last finding saw it. */
export type Dossier = {
  readonly explanation: Explanation;
  readonly day: Day | undefined;
  /** Where comparable days were; null with too few of them, and for a source that others explain. */
  readonly usual: UsualRange | null;
  /** Its broken limits as lines; null when they are unknown. */
  readonly bounds: readonly LimitLevels[] | null;
  /** All events of the alert. */
  readonly history: readonly KnownEvent[];
};

/** An event that ties the source to the one that it was learned again from, or as. */
export type Relearning = {
  readonly role: 'from' | 'as';
  /** The other source. */
  readonly sourceId: number;
  readonly event: Exported;
  /** Index of the event in the log, from 1. */
  readonly n: number;
};

/** Everything that an audit report shows. Positions are the numbers of events in the log, from 1. */
export type AuditFacts = {
  /** Instant of the report, ISO 8601 UTC. */
  readonly at: string;
  readonly inputs: readonly Input[];
  readonly report: Report;
  readonly source: CountedSource;
  /** Time of the first and the last event of the log. */
  readonly first: string;
  readonly last: string;
  readonly relearnings: readonly Relearning[];
  readonly events: readonly KnownEvent[];
  /** Decisions about rules for labels that the source followed, in the order of the log. */
  readonly calendar: readonly KnownEvent[];
  /** Authors of the events with their names; absent where names stay sealed. */
  readonly authors?: OpenedAuthors;
  readonly openAlerts: readonly AlertRecord[];
  readonly dossier: Dossier | undefined;
};

/** How an event ties a source to another one; undefined for all other events. */
const relearningOf = (event: Exported, n: number, sourceId: number): Relearning | undefined => {
  if (event.type !== 'SourceRelearned' && event.type !== 'SourceCreated') return undefined;
  const data = event.data as { readonly created?: Partial<SourceCreation> } & Partial<SourceCreation>;
  const { sourceId: id, relearnedFrom: from } = data.created ?? data;
  if (id === undefined || from === undefined || (id !== sourceId && from !== sourceId)) return undefined;
  return id === sourceId
    ? { role: 'from', sourceId: from, event, n }
    : { role: 'as', sourceId: id, event, n };
};

/** The decisions about rules for labels that events of a source follow from. */
const followedDecisions = (events: readonly Recorded[], calendar: readonly Recorded[]): KnownEvent[] => {
  const ruleOf = (data: CalendarEvent['data'] | AppliedRuleEvent['data']): string =>
    'rule' in data ? data.rule.ruleId : data.ruleId;
  const decisions = calendar.flatMap(event => decode(event) ?? []).filter(isOfCalendar);
  const followed = events.flatMap(event => {
    const known = decode(event);
    if (known?.type !== 'CalendarRuleApplied' && known?.type !== 'CalendarRuleWithdrawn') return [];
    const { followed: until = -1 } = known.data;
    return (
      decisions.findLast(({ data, revision }) => revision <= until && ruleOf(data) === ruleOf(known.data)) ??
      []
    );
  });
  return decisions.filter(decision => followed.includes(decision));
};

/**
 * Reads the log for a report: its SHA-256 as an export, its times, the events of one source, those that tie it to
 * sources that were learned again, and the decisions about rules for labels that it followed.
 */
export const sourceReader = (sourceId: number) => {
  const hash: Hash = createHash('sha256');
  const events: Recorded[] = [];
  const calendar: Recorded[] = [];
  const relearnings: Relearning[] = [];
  let first = '';
  let last = '';
  const reader: LineReader = (line, event, n) => {
    hash.update(line).update('\n');
    if (!event) return undefined;
    if (first === '') first = event.at;
    if (event.at > last) last = event.at;
    const relearning = relearningOf(event, n, sourceId);
    if (relearning) relearnings.push(relearning);
    if (event.stream.startsWith(streams.calendar(''))) calendar.push({ ...event, position: BigInt(n) });
    if (sourceIdOf(event) === sourceId) events.push({ ...event, position: BigInt(n) });
    return undefined;
  };
  const read = () => ({
    ...{ sha256: hash.digest('hex'), first, last, events, relearnings },
    calendar: followedDecisions(events, calendar),
  });
  return { reader, read };
};

/** Whether an event belongs to a source. */
export const isOfSource =
  (sourceId: number) =>
  (event: Exported): boolean =>
    sourceIdOf(event) === sourceId;

/** A store of the events of one source. */
const storeOf = (events: readonly Recorded[]): Pick<EventStore, 'read'> => ({
  read: async function* (stream, from = 0) {
    for (const event of events) if (event.stream === stream && event.revision >= from) yield event;
  },
});

const unprocessed = ['open', 'acknowledged'] as const;
/** Maximum unprocessed alerts that are read. */
const alertsMax = 10_000;

/** The refusal of a source that a log does not have. */
export const unknownSource = (sourceId: number): SettingsError =>
  new SettingsError(`--source: got ${sourceId}, but the log has no such source`);

/** The refusal of an alert that a log does not have. */
export const unknownAlert = (alertId: string): SettingsError =>
  new SettingsError(`--alert: got "${plain(alertId)}", but the log has no such alert`);

/** Facts of a source at the end of the log. */
const stateOf = async (
  known: AsOf,
  sourceId: number,
  end: Pick<Recorded, 'position' | 'at'>,
  alertId: string | undefined,
) => {
  const models = await known.at([sourceId], { position: end.position }, { tenant: '' });
  const source = models.sources.one(sourceId, latestTomorrow(end.at));
  if (!source) throw unknownSource(sourceId);
  const openAlerts = models.alerts.page({
    tenant: source.tenant,
    sourceId,
    from: undefined,
    to: undefined,
    states: [...unprocessed],
    kinds: undefined,
    sort: 'date',
    descending: false,
    after: undefined,
    limit: alertsMax,
  });
  const alert = alertId === undefined ? undefined : models.alerts.one(alertId);
  if (alertId !== undefined && !alert) throw unknownAlert(alertId);
  return { source, openAlerts, alert, alerts: models.alerts };
};

/**
 * The facts of a source, and of one alert where its id is given.
 * @throws SettingsError for an unknown source or alert
 */
export const sourceFacts = async (
  recorded: readonly Recorded[],
  sourceId: number,
  alertId: string | undefined,
): Promise<Pick<AuditFacts, 'source' | 'events' | 'openAlerts' | 'dossier'>> => {
  const store = storeOf(recorded);
  const end = recorded.at(-1) ?? { position: 0n, at: new Date(0).toISOString() };
  const known = asOf({
    store,
    end: () => end.position,
    turns: turns(system),
    openTemporary: openTemporaryReadModels,
    eventsMax: Infinity,
  });
  try {
    const { source, openAlerts, alert, alerts } = await stateOf(known, sourceId, end, alertId);
    const events = recorded.flatMap(event => decode(event) ?? []);
    if (!alert) return { source, events, openAlerts, dossier: undefined };
    const explanation = await explainAlert(store, known, alert, { tenant: source.tenant });
    const history = events.filter(
      ({ stream, data }) =>
        stream === streams.alerts(sourceId) && 'alertId' in data && data.alertId === alert.id,
    );
    const position = BigInt(explanation.check.knownTo);
    const then = await known.at([sourceId], { position }, { tenant: source.tenant });
    const setup = then.sources.setup(sourceId);
    // The range of a source that others explain needs their days, which the report does not read.
    const isExplained = then.covariates.usedBy(sourceId).length > 0;
    const usual = setup && !isExplained ? dayDetails(then, setup, alert.date).usual : null;
    const day = then.days.recent(sourceId, alert.date);
    const { typicalDays, acceptedChanges } = then;
    const bounds = alertBounds({ alerts, typicalDays, acceptedChanges }, alert);
    const dossier = { explanation, day, usual, bounds, history };
    return { source, events, openAlerts, dossier };
  } finally {
    known.close();
  }
};
