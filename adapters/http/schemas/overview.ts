import Type from '../typebox.js';
import { outcomes } from '../../../domain/alerts/findings.js';
import { alertSchema } from './alerts/alert.js';
import { dateSchema, nullable, parkedMarkSchema, sourceIdSchema, strict } from './common.js';
import { describedFields } from './description.js';

const { id, kind, state, criticity } = alertSchema.properties;

const overviewDaySchema = Type.Object(
  {
    date: dateSchema,
    kind: Type.Enum(['reference', 'recent'], { examples: ['recent'] }),
    outcome: nullable(Type.Enum([...outcomes], { examples: ['abnormal'] })),
    alert: Type.Optional(Type.Object({ id, kind, state, criticity }, strict)),
  },
  { ...strict, title: 'OverviewDay' },
);

export const plannedCellSchema = Type.Object(
  {
    date: Type.String({ ...dateSchema, examples: ['2026-03-03'] }),
    modelId: Type.Integer({ examples: [3] }),
    name: Type.String({ examples: ['Monday–Friday'] }),
    color: Type.String({ examples: ['#0072B2'] }),
  },
  { ...strict, title: 'PlannedCell' },
);

export const overviewSourceSchema = Type.Object(
  {
    id: sourceIdSchema,
    name: describedFields.name,
    labels: describedFields.labels,
    analysis: Type.Enum(['pending', 'running', 'completed', 'failed'], { examples: ['completed'] }),
    lastDate: nullable(dateSchema),
    openAlerts: Type.Integer({ description: 'Open or acknowledged alerts.', examples: [2] }),
    criticity: nullable(Type.Number({ examples: [0.82] }), {
      description: 'Highest criticity of these alerts, 0–1.',
    }),
    days: Type.Array(overviewDaySchema, { description: 'Days with data, by date.' }),
    parked: parkedMarkSchema,
    planned: Type.Optional(
      Type.Array(plannedCellSchema, {
        description: 'Planned models of the dates after the newest data of all sources.',
      }),
    ),
  },
  { ...strict, title: 'OverviewSource' },
);

export const overviewSchema = Type.Object(
  {
    from: Type.String({ ...dateSchema, examples: ['2026-02-10'] }),
    to: Type.String({ ...dateSchema, description: 'Exclusive.', examples: ['2026-03-10'] }),
    sources: Type.Array(overviewSourceSchema),
  },
  { ...strict, title: 'Overview' },
);
