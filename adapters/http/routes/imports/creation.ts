import { OutcomeUnknown } from '../../../../application/ports/eventStore.js';
import Type, { type Static } from '../../typebox.js';
import type { DayRule, ImportedDays } from '../../../../application/requests/imports/assembleDays.js';
import type { LocalClock } from '../../../../application/ports/localClock.js';
import {
  covariateFaults,
  createCollectingSource,
  createSource,
  type SourceChoices,
  type CreatedSource,
} from '../../../../application/requests/useCases/createSource.js';
import { queryFault, type InvalidInput } from '../../../../application/requests/imports/faults.js';
import type { Clock, Describing, Following, Service } from '../../../../application/requests/service.js';
import { finestCount, type SliceCount } from '../../../../domain/day.js';
import { Rejection, type Fault } from '../../../../domain/rejection.js';
import { patchIn } from '../../../../domain/source/sourceDescription.js';
import { readCsvDays } from '../../../csv/csvBody.js';
import { collectJsonDays } from '../../../json/jsonDays.js';
import type { ReadBody } from '../../body.js';
import type { Actor } from '../../middleware/tokens.js';
import { descriptionOf, allowDuplicateSchema, descriptionQuery } from '../../schemas/description.js';
import { json, route, type Answer, type Call, type Route } from '../../route.js';
import { bodyChecker } from '../../schemaChecker.js';
import { withStreamedDays, object } from '../../schemas/common.js';
import { sourceCreatedSchema } from '../../schemas/import.js';
import {
  csvChoices,
  sourceChoices,
  sourceCreationSchema,
  csvRuleOf,
  collectingSourceSchema,
  sourceSchema,
} from '../../schemas/source.js';
import { requireCalendar, requireTimeZone } from '../../schemas/knownChoices.js';
import { importSummary } from '../../answers/alertChanges.js';
import { sourceRecord } from '../../answers/sourceRecord.js';

/** Answers of a route that creates a source. */
export const createdAnswers = {
  201: { description: 'The source; its analysis was started', schema: sourceCreatedSchema },
};

/** Parts that create a source and describe it. */
type CreationParts = Describing & Following & Clock & Pick<Service, 'environment' | 'followUps'>;

/** The routes that create a source. `read` reads a body in its turn. */
export const creationRoutes = (service: CreationParts, read: ReadBody): readonly Route[] => [
  createFromCsv(service, read),
  createFromJson(service, read),
  createCollecting(service),
];

const createFromCsv = (service: CreationParts, read: ReadBody): Route =>
  route({
    at: 'POST /v1/import-csv/create-source',
    operationId: 'createSourceFromCsv',
    summary: 'Create a source from its reference year in CSV and start its analysis',
    scope: 'import',
    query: object({
      ...descriptionQuery,
      allowDuplicate: allowDuplicateSchema,
      ...sourceChoices,
      ...csvChoices,
    }),
    body: { kind: 'csv' },
    answers: createdAnswers,
    problems: [
      'referenceTooShort',
      'notCumulative',
      'descriptionInvalid',
      'sourceNameTaken',
      'tooManySources',
    ],
    run: async call => {
      const choices = withDefaults(call.query);
      const description = descriptionOf(call.query);
      requireCovariatesOfQuery(service, call, description.explainedBy ?? []);
      requireCalendar(choices.calendar, 'parametersInvalid', '/query/calendar');
      const clock = requireTimeZone(choices.timeZone, 'parametersInvalid', '/query/timeZone');
      const rule = { ...referenceRule(choices, clock), ...csvRuleOf(call.query) };
      const { allowDuplicate = false } = call.query;
      const named = { ...choices, description, allowDuplicate, timeZone: clock.timeZone };
      return read(
        call,
        bytes => readCsvDays(bytes, rule),
        imported =>
          created(service, call, { ...named, referenceYear: imported.referenceYear }, imported).catch(
            (error: unknown) => {
              throw error instanceof Rejection ? (covariateFaultOfQuery(error.faults) ?? error) : error;
            },
          ),
      );
    },
  });

const creationEnvelope = withStreamedDays(sourceCreationSchema);
const checkCreation = bodyChecker(creationEnvelope);

const createFromJson = (service: CreationParts, read: ReadBody): Route =>
  route({
    at: 'POST /v1/import/create-source',
    operationId: 'createSource',
    summary: 'Create a source from its reference year in JSON and start its analysis',
    scope: 'import',
    query: object({ allowDuplicate: allowDuplicateSchema }),
    body: { kind: 'days', schema: sourceCreationSchema },
    answers: createdAnswers,
    problems: ['referenceTooShort', 'descriptionInvalid', 'sourceNameTaken', 'tooManySources'],
    run: call => {
      const { allowDuplicate = false } = call.query;
      const readDays = async (bytes: AsyncIterable<Buffer>) => {
        const collected = await collectJsonDays(bytes);
        const envelope = checkCreation(collected.envelope) as Static<typeof creationEnvelope>;
        const { referenceYear } = envelope;
        const choices = { ...withDefaults(envelope), description: patchIn(envelope), referenceYear };
        requireCalendar(choices.calendar, 'bodyInvalid', '/calendar');
        const clock = requireTimeZone(choices.timeZone, 'bodyInvalid', '/timeZone');
        const rule = { ...referenceRule(choices, clock), referenceYear: choices.referenceYear };
        const imported = await collected.finish(rule);
        return { choices: { ...choices, allowDuplicate, timeZone: clock.timeZone }, imported };
      };
      return read(call, readDays, ({ choices, imported }) => created(service, call, choices, imported));
    },
  });

const createCollecting = (service: Describing & Following & Clock & Pick<Service, 'followUps'>): Route =>
  route({
    at: 'POST /v1/source',
    operationId: 'createCollectingSource',
    summary: 'Create a source without a reference: it collects recent days and learns by itself',
    scope: 'import',
    query: object({ allowDuplicate: allowDuplicateSchema }),
    body: json(collectingSourceSchema),
    answers: { 201: { description: 'The source; it collects its reference', schema: sourceSchema } },
    problems: ['descriptionInvalid', 'sourceNameTaken', 'tooManySources'],
    run: async call => {
      const { activitySize = finestCount, ...choices } = withDefaults(call.body);
      requireCalendar(choices.calendar, 'bodyInvalid', '/calendar');
      const { timeZone } = requireTimeZone(choices.timeZone, 'bodyInvalid', '/timeZone');
      const { allowDuplicate = false } = call.query;
      const description = patchIn(call.body);
      const chosen = { ...choices, activitySize, timeZone, description, allowDuplicate };
      const { sourceId } = await createCollectingSource(service, call, chosen);
      return {
        status: 201,
        headers: { Location: `/v1/source/${sourceId}` },
        body: sourceRecord(service, call.actor, sourceId),
      };
    },
  });

/** Creates a source from valid reference days. */
const created = async (
  service: CreationParts,
  call: Call<unknown, unknown, unknown>,
  {
    activitySize,
    ...choices
  }: Choices & Pick<SourceChoices, 'description' | 'allowDuplicate' | 'referenceYear'>,
  imported: ImportedDays,
): Promise<Answer> => {
  return createdAnswer(service, call.actor, await createSource(service, call, choices, imported));
};

/**
 * Answer to the creation of a source.
 * @throws OutcomeUnknown when the read models lost the source and cannot be written
 */
export const createdAnswer = (
  service: Clock & Pick<Service, 'models' | 'followUps'>,
  actor: Actor,
  { sourceId, importId }: CreatedSource,
): Answer => {
  const imported = service.models.days.import(importId);
  if (!imported || service.models.sources.setup(sourceId) === undefined)
    throw new OutcomeUnknown(
      'the source is in the log, but the read models lost it and cannot be written; retry later',
    );
  const source = sourceRecord(service, actor, sourceId);
  return {
    status: 201,
    headers: { Location: `/v1/source/${sourceId}` },
    body: { source, import: importSummary(imported), analysis: source.analysis },
  };
};

const choicesSchema = Type.Object(sourceChoices);

/** The choices of a creation with their defaults. */
const withDefaults = ({
  activitySize,
  interpolationMethod = 'zero',
  aggregation = 'mean',
  calendar,
  timeZone = 'UTC',
  coverage,
}: Static<typeof choicesSchema>) => ({
  // 1440 minutes are kept as 144 slices.
  activitySize: activitySize === 1440 ? finestCount : (activitySize as SliceCount | undefined),
  interpolationMethod,
  aggregation,
  calendar: calendar ?? null,
  timeZone,
  coverage,
});
type Choices = ReturnType<typeof withDefaults>;

const referenceRule = ({ activitySize, aggregation, interpolationMethod }: Choices, clock: LocalClock) =>
  ({ kind: 'reference', activitySize, aggregation, interpolationMethod, clock }) as const satisfies DayRule;

/** The refusal of covariates that the query names; undefined for other faults. */
const covariateFaultOfQuery = (faults: readonly Fault[]): InvalidInput | undefined =>
  faults[0]?.code === 'explainedBy'
    ? queryFault(...faults.map(fault => ({ ...fault, pointer: '/query/explainedBy' })))
    : undefined;

/** @throws InvalidInput for sources that cannot explain a new one, before the body is read */
const requireCovariatesOfQuery = (
  { models }: Pick<Service, 'models'>,
  { actor: { tenant }, hasKey }: Call<unknown, unknown, unknown>,
  ids: readonly number[],
): void => {
  // A retry may come after a covariate was archived: with a key that is refused after `begin` only.
  const asked = hasKey ? ids.filter(id => models.sources.setup(id)?.tenant !== tenant) : ids;
  const refusal = covariateFaultOfQuery(covariateFaults(models, { tenant, sourceId: undefined }, asked));
  if (refusal) throw refusal;
};
