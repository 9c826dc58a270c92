// Data of the charts of a report, as they are in its HTML. web/report draws them. Types only: both sides import them.
import type { UsualRange } from '../../../analysis/findings/usualRange.js';
import type { LimitLevels } from '../../../analysis/findings/limitLevels.js';
import type { LimitFacts } from '../../../domain/alerts/findings.js';
import type { Day } from '../../../domain/day.js';
import type { Model } from '../../../domain/planning/models.js';

/** A value of each slice; null where nothing was observed. */
type Profile = readonly (number | null)[];

/** A profile and its bounds, a value a slice. */
export type Band = {
  readonly activity: readonly number[];
  readonly top: readonly number[];
  readonly bottom: readonly number[];
};

/** Least and largest value of a vertical axis. */
type Range = { readonly min: number; readonly max: number };

/** Slices from `from` to before `to`. */
type Stretch = { readonly from: number; readonly to: number };

/** A day and what the screens draw of it and of its alert, see charts/dayPicture there. `color` is one of CSS. */
export type DayFigure = {
  readonly kind: 'day';
  /** Text behind numbers of the source. */
  readonly suffix: string;
  readonly color: string | null;
  readonly day: {
    readonly date: string;
    readonly day: Pick<Day, 'activity' | 'gaps'> & { readonly observedUntil: null };
    readonly plannedModel:
      | (Pick<Model, 'name' | 'color' | 'activity' | 'topTolerance' | 'bottomTolerance'> & {
          /** Present for models that have more limits than their bounds. */
          readonly limits?: object;
        })
      | null;
    readonly usual: UsualRange | null;
    readonly axis: null;
  };
  /** null without a finding. */
  readonly alert: {
    readonly slices: readonly (Stretch & { readonly direction: 'over' | 'under' })[];
    readonly deviation: (Stretch & { readonly absolute: number }) | null;
    readonly gap: Stretch | null;
    readonly brokenLimits: readonly (Stretch & Pick<LimitFacts, 'limit' | 'actual' | 'bound'>)[];
    readonly bounds: readonly LimitLevels[] | null;
  } | null;
};

/** A model in its band, with the days that follow it. */
export type ModelFigure = Range & {
  readonly kind: 'model';
  readonly color: string;
  readonly model: Band;
  readonly days: readonly Profile[];
};

/** A model in its band, small and without axes. */
export type SparkFigure = { readonly kind: 'spark'; readonly model: Band };

/** Dates as squares with the colour and the key of their model. */
export type CalendarFigure = {
  readonly kind: 'calendar';
  readonly days: readonly {
    readonly date: string;
    readonly color: string | null;
    readonly ink: string | null;
    readonly key: string;
    /** Text under the pointer. */
    readonly title: string;
    /** Whether the date is a holiday or a special day. */
    readonly ringed: boolean;
    /** Colour of the nearest model, where that is not the planned one. */
    readonly corner: string | null;
    /** Whether the day has an alert; days without one are faint. Reference days have no such field. */
    readonly alert?: boolean;
  }[];
};

/** A point of a line; `label` names a highlighted one. */
export type Dot = {
  readonly x: number;
  readonly y: number;
  readonly title: string;
  readonly label?: string;
};

type Axis = { readonly label: string; readonly percent: boolean };

/** One or two lines of dots. */
export type LinesFigure = {
  readonly kind: 'lines';
  readonly series: readonly (readonly Dot[])[];
  readonly x: Axis & { readonly ticks: readonly number[] };
  /** `includes` are values that the axis always includes; `max` is the largest possible value, if there is one. */
  readonly y: Axis & { readonly includes: readonly number[]; readonly max?: number };
  /** Whether a dashed line shows where both axes have the same value. */
  readonly diagonal: boolean;
};

/** Kinds of alerts, and verdicts on current ones. */
export type MarkKind =
  'over' | 'under' | 'both' | 'course' | 'frozen' | 'drift' | 'gap' | 'confirmed' | 'refused' | 'undecided';

/** Alerts over time, a row for each setting. */
export type TimelineFigure = {
  readonly kind: 'timeline';
  readonly first: string;
  readonly last: string;
  readonly rows: readonly {
    readonly name: string;
    readonly highlighted: boolean;
    readonly marks: readonly { readonly date: string; readonly kind: MarkKind; readonly title: string }[];
  }[];
};

export type Figure = DayFigure | ModelFigure | SparkFigure | CalendarFigure | LinesFigure | TimelineFigure;
