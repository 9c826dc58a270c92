// Generates docs/events.md from the event types of domain/ and the examples in test/fixtures/events.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { eventVersions, type EventType } from '../../../domain/events.js';
import { repositoryRoot } from '../repository.js';

/** Meaning of each event, in one sentence. */
const meanings: Readonly<Record<EventType, string>> = {
  SourceIdReserved: 'An id was given out for a new source; ids are never reused.',
  SourceNameClaimed: 'A source is about to get a name; meanwhile no other source of the tenant gets it.',
  LogBegun: 'An empty log begins, because a token is about to be issued: stores find a log by its catalog.',
  SourceCreated: 'A source exists: its reference days, which are in the log before, are complete.',
  SourceDescribed: 'A person changed the description of a source.',
  ReferenceExtended:
    'Recent days of a source that was created without a reference became its reference; models are learned from them, unless people set the present ones.',
  SourceRelearned:
    'A person had a new source learned from recent days of a source, which the next event archives.',
  SourceArchived: 'A person archived a source: it is hidden from all but the audit trail.',
  SourceRestored: 'A person restored an archived source.',
  ModelsResetRequested: 'A person requested new automatic models.',
  ModelsReset: 'The service learned models from the reference days and installed them.',
  ModelsReplaced: 'A person replaced all models by custom ones.',
  ModelDescribed: 'A person changed the name or the colour of a model.',
  ModelAnomalyChanged: 'A person said whether a model describes abnormal days.',
  AnalysisFailed: 'The requested analysis failed.',
  DayPlanned: 'A person planned a date to follow a model.',
  DayPlanCleared: 'A person cleared the planning of a date.',
  SpecialDayNamed: 'A person named a special day.',
  SpecialDayCleared: 'A person removed the name of a special day.',
  ReferenceDayLeftOut: 'A person left a reference day out: the next models are learned without it.',
  ChangeAccepted:
    'A person took a change that stays as the new normal: days from its date on are expected with it.',
  ChangeWithdrawn: 'A person took an acceptance back: days are expected as before.',
  LeavingOutTakenBack:
    'A person took the leaving-out of a reference day back: the next models are learned with it again.',
  CalendarRuleApplied:
    'A rule or a file names dates of the source: one of its own, or one of the tenant for its labels.',
  CalendarRuleWithdrawn: 'A rule no longer names dates of the source.',
  DaysImported: 'Days were imported: part n of m. The import takes effect with its last part.',
  PointsImported:
    'Points set slices of recent days; the other slices stay. The points of a slice are stored when it has elapsed.',
  DateClosed:
    'The local midnight of a date and the lateness of the source have passed: slices without data are missing now.',
  DayTakenBack:
    'A person took back the recent day of a date: it is gone from all reads, its unprocessed alerts are invalidated.',
  ClockTicked: 'The clock passed the deadline for new data of a source; a check follows.',
  CovariateDaysImported:
    'Data of a source that explains this one came or changed; the days concerned are checked again.',
  DaysChecked: 'The service compared days with their planned models.',
  AlertRaised: 'A check raised an alert on a day.',
  AlertConfirmed: 'A check with other models or another plan raised an unprocessed alert again.',
  AlertInvalidated: 'A check found that an alert no longer holds.',
  AlertAcknowledged: 'A person acknowledged an alert.',
  AlertResolved: 'A person resolved an alert with a verdict.',
  AlertReopened: 'A person reopened an alert.',
  AlertEnded: 'Data came after a silence, so its alert ended.',
  AlertsGrouped: 'Alerts of a source that changed were put into incidents: those that belong to one cause.',
  IncidentAcknowledged: 'A person acknowledged an incident; its alerts follow in their streams.',
  IncidentResolved: 'A person resolved an incident with a verdict; its alerts follow in their streams.',
  IncidentReopened: 'A person reopened an incident; its alerts follow in their streams.',
  IncidentDecisionApplied: 'The alerts of a decision about an incident were changed in their streams.',
  IncidentAssigned: 'A person assigned an incident to a person, or unassigned it.',
  IncidentCommented: 'A person commented on an incident.',
  IncidentSplit: 'A person moved some alerts of an incident to a new one.',
  IncidentsMerged: 'A person merged an incident into another one.',
  TenantSettingsChanged: 'A person changed the settings of the tenant.',
  MuteCreated: 'A person muted a source, sources with labels, or an incident for a time.',
  MuteDeleted: 'A person ended a mute at once.',
  MuteEnded: 'The end of a mute has passed.',
  TokenIssued:
    'A person issued a token to a person or a device, or signed in for the first time with the code of the service.',
  TokenRevoked: 'A person revoked a token: requests with it are refused from then on.',
  AuditTrailRead: 'A person read the audit trail.',
  PersonErased: 'The key of a person was destroyed: names and comments under it are unreadable from then on.',
  WebhookCreated: 'A person created a webhook: messages to an address.',
  WebhookSecretRotated: 'A person created a new signing secret; the previous one stays valid for a while.',
  WebhookDisabled: 'A webhook delivers nothing until it is enabled again.',
  WebhookChanged: 'A person changed the address, the filter or the times of a webhook.',
  WebhookEnabled: 'A person enabled a webhook; it continues where it stopped.',
  WebhookReplayRequested: 'A person requested that messages are delivered again.',
  WebhookDeleted: 'A person deleted a webhook; its key was destroyed.',
  CalendarRuleSaved:
    'A person saved a rule or a file that names dates of all sources with some labels; it is applied to each of them.',
  CalendarRuleDeleted: 'A person deleted a rule for labels; it is withdrawn from its sources.',
};

/** Meaning of fields that many events have. */
const commonMeanings: Readonly<Record<string, string>> = {
  sourceId: 'Id of the source.',
  requestId: 'Id of the request; a retry has the same.',
  tenant: 'Tenant that the source belongs to.',
  name: 'Given name of a special day, a model or a source.',
  date: 'Date `YYYY-MM-DD`.',
  alertId: 'Id of the alert: `{sourceId}-{yyyymmdd}-{n}`.',
  importId: 'Id of the import that brought the day.',
  modelId: 'Id of the model.',
  plannedModelId: 'Model that was planned for the day.',
  seed: 'Seed of the random choices of the analysis.',
  verdict: 'Verdict of the person.',
  comment: 'Comment of the person, sealed.',
  personId: 'Id of the destroyed key.',
  webhookId: 'Id of the webhook.',
  covariateId: 'Source that explains the source.',
};

type Field = { readonly path: string; readonly type: string; readonly meaning: string };

const programOf = (): ts.Program =>
  ts.createProgram([join(repositoryRoot(), 'domain/events.ts')], {
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  });

/** Maximum nesting of listed fields. */
const depthMax = 6;

/** Lists the fields of a type, nested ones as paths: `days[].date`. */
const fieldLister = (checker: ts.TypeChecker) => {
  const withoutUndefined = (type: ts.Type): ts.Type => checker.getNonNullableType(type);
  const isNullable = (type: ts.Type): boolean =>
    type.isUnion() && type.types.some(one => (one.flags & ts.TypeFlags.Null) !== 0);
  const elementOf = (type: ts.Type): ts.Type | undefined =>
    checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;
  const isRecord = (type: ts.Type): boolean =>
    (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0 &&
    !checker.isArrayLikeType(type) &&
    type.getProperties().length > 0;
  const literals = (type: ts.Type): string =>
    (type.isUnion() ? type.types : [type])
      .map(one => checker.typeToString(one, undefined, ts.TypeFormatFlags.NoTruncation).replaceAll('"', ''))
      .map(text => (text === 'false' || text === 'true' ? 'boolean' : text))
      .filter((text, index, all) => all.indexOf(text) === index)
      .join(', ');

  const nameOf = (type: ts.Type): string => {
    const element = elementOf(type);
    if (element) return isRecord(element) ? 'list' : `list of ${nameOf(element)}`;
    if (checker.isTupleType(type))
      return `list of ${checker
        .getTypeArguments(type as ts.TypeReference)
        .map(nameOf)
        .join(' and ')}`;
    return isRecord(type) ? 'object' : literals(type);
  };

  const fieldsOf = (type: ts.Type, prefix: string, depth: number): Field[] =>
    type.getProperties().flatMap(property => {
      const whole = checker.getTypeOfSymbol(property);
      const inner = withoutUndefined(whole);
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      const path = `${prefix}${property.name}`;
      const type = `${nameOf(inner)}${isNullable(whole) ? ' or null' : ''}${isOptional ? ', optional' : ''}`;
      const documented = ts.displayPartsToString(property.getDocumentationComment(checker));
      const meaning = documented.replaceAll('\n', ' ') || (commonMeanings[property.name] ?? '');
      const element = elementOf(inner);
      const nested = element ?? inner;
      const below =
        depth < depthMax && isRecord(nested)
          ? fieldsOf(nested, `${path}${element ? '[]' : ''}.`, depth + 1)
          : [];
      return [{ path, type, meaning }, ...below];
    });
  return (type: ts.Type): Field[] => fieldsOf(type, '', 1);
};

/** The fields of the data of each event type. */
const fieldsByType = (): ReadonlyMap<string, readonly Field[]> => {
  const program = programOf();
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(join(repositoryRoot(), 'domain/events.ts'));
  const union = file?.statements.find(
    (node): node is ts.TypeAliasDeclaration =>
      ts.isTypeAliasDeclaration(node) && node.name.text === 'DomainEvent',
  );
  if (!union) throw new Error('domain/events.ts has no DomainEvent');
  const type = checker.getTypeAtLocation(union);
  const list = fieldLister(checker);
  const result = new Map<string, readonly Field[]>();
  for (const event of type.isUnion() ? type.types : [type]) {
    const [name, data] = ['type', 'data'].map(field => {
      const property = event.getProperty(field);
      return property && checker.getTypeOfSymbol(property);
    });
    if (name?.isStringLiteral() && data) result.set(name.value, list(data));
  }
  return result;
};

type Example = { readonly stream: string; readonly v: number };

const fixtureOf = (type: string, version: number): string =>
  readFileSync(join(repositoryRoot(), `test/fixtures/events/${type}.v${version}.json`), 'utf8');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const sectionOf = (type: EventType, fields: readonly Field[]): string => {
  const version = eventVersions[type];
  const example = fixtureOf(type, version);
  const kind = (JSON.parse(example) as Example).stream
    .replace(/-\d+$/, '-{id}')
    .replace(/^(audit|webhooks)-.*/, '$1-{tenant}');
  const older = version > 1 ? ` Older versions are read as version ${version}.` : '';
  const rows = fields.map(
    ({ path, type: of, meaning }) => `| \`${path}\` | ${cell(of)} | ${cell(meaning)} |`,
  );
  return `## ${type}

${meanings[type]} Stream \`${kind}\`, version ${version}.${older}

| Field of \`data\` | Type | Meaning |
|---|---|---|
${rows.join('\n')}

<details><summary>Example</summary>

\`\`\`json
${example.trim()}
\`\`\`

</details>
`;
};

const head = `# Events

Reference of all events: what each records, its fields and an example. This page is generated from the types in \`domain/\` and the examples in \`test/fixtures/events/\`: \`npm run docs:events\`. [ARCHITECTURE.md](../ARCHITECTURE.md#streams-and-events) has the streams, [audit-formats.md](audit-formats.md) the line of an export and what its hash covers.

Every event has \`id\`, \`stream\`, \`revision\` (from 0 in its stream), \`type\`, \`v\` (version of the shape of \`data\`), \`at\` (instant of the decision, UTC), \`data\`, \`metadata\` and \`hash\`; \`position\` is the store's own. \`metadata.by\` is the sealed name of a person, or \`reactor\` for the service; \`metadata.cause\` is the event or request that led to it, \`metadata.correlation\` the request at the start of the chain. Names and comments of people are sealed texts, see [privacy.md](privacy.md); the examples show them plain.
`;

/** The text of docs/events.md. */
export const eventReference = async (): Promise<string> => {
  const fields = fieldsByType();
  const types = Object.keys(eventVersions) as EventType[];
  const index = types.map(type => `[${type}](#${type.toLowerCase()})`).join(' · ');
  const sections = types.map(type => sectionOf(type, fields.get(type) ?? []));
  const file = join(repositoryRoot(), 'docs/events.md');
  const text = [head, `**On this page:** ${index}\n`, ...sections].join('\n');
  return format(text, { ...(await resolveConfig(file)), parser: 'markdown' });
};
