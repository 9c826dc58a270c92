import type { SourceFacts } from '../../domain/source/sourceState.js';
import type { RelearnProposal } from '../../domain/source/reference.js';
import { descriptionIn, type SourceDescription } from '../../domain/source/sourceDescription.js';
import type { ShownCalendar } from '../planningBases.js';
import { parsed } from '../readModel.js';

/** Progress of the last analysis of a source. */
export const analysisStatuses = ['collecting', 'pending', 'running', 'completed', 'failed'] as const;
export type AnalysisStatus = (typeof analysisStatuses)[number];

/** A source as its tenant sees it. `version` is the revision of its stream. */
export type SourceRecord = Omit<
  SourceFacts,
  | 'sourceId'
  | 'tenant'
  | 'timeZone'
  | 'relearnedFrom'
  | 'countedTo'
  | 'collects'
  | 'specialDays'
  | 'leftOutDays'
  | 'calendarRules'
  | keyof SourceDescription
> &
  SourceDescription & {
    readonly timeZone: string;
    readonly id: number;
    /** Only the working process knows the status `running`; here it is still `pending`. */
    readonly analysis: { readonly status: AnalysisStatus; readonly [detail: string]: unknown };
    /** Whether a client gave `calendar` or it was inferred from the reference days, and the evidence. */
    readonly calendarOrigin: 'given' | 'inferred' | null;
    readonly calendarEvidence: string | null;
    readonly modelsOrigin: 'automatic' | 'custom' | null;
    /** 0 while there are no models. */
    readonly modelsVersion: number;
    readonly counts: {
      readonly referenceDays: number;
      readonly recentDays: number;
      readonly models: number;
      readonly unprocessedAlerts: number;
    };
    /** Last date with data, and instant of the last import. */
    readonly lastData: { readonly date: string; readonly importedAt: string };
    /** Why the source should be learned again from recent days. */
    readonly relearnProposed: RelearnProposal | null;
    readonly createdAt: string;
    /** null unless the source is archived. */
    readonly archivedAt: string | null;
    /** The source whose recent days are the reference of this one. */
    readonly relearnedFrom: number | null;
    /** The source that was learned from recent days of this one. */
    readonly relearnedAs: number | null;
    readonly version: number;
  };

/** Fields of a source that change with its days and alerts. */
type Measured = Pick<SourceRecord, 'counts' | 'lastData' | 'relearnProposed'>;

/** A source as the service needs it, archived or not, without the fields that its days and alerts change. */
export type SourceSetup = Omit<SourceRecord, keyof Measured> & {
  readonly tenant: string;
  /** The calendar that the client gave; `calendar` may be an inferred one. */
  readonly calendarGiven: string | null;
  /** Whether the source was created without a reference and gathers it from recent days. */
  readonly collects: boolean;
  /** The request whose analysis has not ended. */
  readonly pendingRequestId: string | null;
  /** Position of that request in the log. */
  readonly pendingPosition: number | null;
};

/** A source with its counts, which take a scan of its days. */
export type CountedSource = SourceSetup & Measured;

/** A row of `sources`. */
export type SourceRow = {
  readonly id: number;
  readonly tenant: string;
  readonly facts: string;
  readonly description: string;
  readonly last_data_date: string;
  readonly last_import_at: string;
  readonly archived_at: string | null;
  readonly relearned_from: number | null;
  readonly relearned_as: number | null;
  readonly pending_request_id: string | null;
  readonly pending_position: number | null;
  readonly analysis: string;
  readonly inferred: string | null;
  readonly models_origin: 'automatic' | 'custom' | null;
  readonly models_version: number;
  readonly created_at: string;
  readonly version: number;
};

/** A row of `sources` with its counts. */
export type CountedSourceRow = SourceRow & {
  readonly reference_days: number;
  readonly recent_days: number;
  readonly models: number;
  readonly unprocessed_alerts: number;
};

const factsOf = ({ facts }: SourceRow) => parsed<Omit<SourceFacts, 'tenant'>>(facts);

/** A source from its row, with the fields that its days and alerts change, in the order of the fields. */
export const setup = <Changing extends object>(
  row: SourceRow,
  changing: Changing,
): SourceSetup & Changing => {
  const facts = factsOf(row);
  const inferred = row.inferred === null ? null : parsed<ShownCalendar>(row.inferred);
  return {
    id: row.id,
    ...descriptionIn(parsed(row.description)),
    referenceYear: facts.referenceYear,
    activitySize: facts.activitySize,
    interpolationMethod: facts.interpolationMethod,
    aggregation: facts.aggregation,
    timeZone: facts.timeZone ?? 'UTC',
    calendar: facts.calendar ?? inferred?.code ?? null,
    calendarOrigin: facts.calendar === null ? (inferred?.origin ?? null) : 'given',
    calendarEvidence: inferred?.evidence ?? null,
    reference: facts.reference,
    analysis: parsed<SourceRecord['analysis']>(row.analysis),
    modelsOrigin: row.models_origin,
    modelsVersion: row.models_version,
    ...changing,
    createdAt: row.created_at,
    archivedAt: row.archived_at,
    relearnedFrom: row.relearned_from,
    relearnedAs: row.relearned_as,
    version: row.version,
    tenant: row.tenant,
    calendarGiven: facts.calendar,
    collects: facts.collects === true,
    pendingRequestId: row.pending_request_id,
    pendingPosition: row.pending_position,
  };
};

/** A source from its row, with its counts. */
export const withCounts = (row: CountedSourceRow, relearnProposed: RelearnProposal | null): CountedSource =>
  setup(row, {
    counts: {
      referenceDays: row.reference_days,
      recentDays: row.recent_days,
      models: row.models,
      unprocessedAlerts: row.unprocessed_alerts,
    },
    lastData: { date: row.last_data_date || factsOf(row).reference.to, importedAt: row.last_import_at },
    relearnProposed,
  });
