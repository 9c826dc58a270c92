// The fields of the service's answers that the demo reads; the answers have more.

/** Summary of an import. */
export type Import = {
  readonly lines: number;
  readonly days: number;
  readonly missingSamples: number;
  readonly filledSamples: number;
  readonly duplicates: number;
  readonly warnings: readonly { readonly code: string; readonly detail: string }[];
};

/** A source and the state of its analysis. */
export type Source = {
  readonly id: number;
  readonly name: string;
  readonly referenceYear: number;
  readonly activitySize: number;
  readonly analysis: {
    readonly status: string;
    readonly code?: string | null;
    readonly detail?: string | null;
  };
};

/** A typical day; `activity` has one value a slice. */
export type Model = {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly anomaly: boolean;
  readonly activity: readonly number[];
  readonly days: number;
};

/** The planned model of a date, with the reason in words. */
export type PlannedDay = {
  readonly date: string;
  readonly modelId: number | null;
  readonly origin: string;
  readonly reason: string;
};

/** An alert of one day. */
export type Alert = {
  readonly id: string;
  readonly date: string;
  readonly kind: string;
  readonly state: string;
  readonly direction: string | null;
  readonly criticity: number;
  /** Slices `from` inclusive to `to` exclusive. */
  readonly slices: readonly { readonly from: number; readonly to: number }[];
  readonly plannedModelId: number | null;
  readonly closestModelId: number | null;
  readonly betterModelId: number | null;
};

/** An imported day; `completeness` is the observed share of it, 0–1. */
export type RecentDay = { readonly date: string; readonly status: string; readonly completeness: number };

/** One fault in a problem answer. */
export type Fault = {
  readonly code?: string;
  readonly detail?: string;
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
  readonly value?: string;
};
