import Type from '../../typebox.js';
import { alertKinds } from '../../../../domain/alerts/findings.js';
import { episodeIdsMax, episodeStates } from '../../../../projections/alerts/episodePages.js';
import { dateSchema, instantSchema, sourceIdSchema, strict } from '../common.js';
import { alertSchema } from './alert.js';

const episodeSchema = Type.Object(
  {
    id: Type.String({
      description: '{sourceId}-{yyyymmdd of the first date}; an earlier date changes it.',
      examples: ['12-20260302'],
    }),
    sourceId: sourceIdSchema,
    firstDate: dateSchema,
    lastDate: Type.String({ ...dateSchema, description: 'Inclusive.', examples: ['2026-03-03'] }),
    days: Type.Integer({ minimum: 1, examples: [2] }),
    state: Type.Enum([...episodeStates], {
      description: 'The first of these states that one of its alerts has.',
    }),
    counts: Type.Object(
      {
        open: Type.Integer({ examples: [2] }),
        acknowledged: Type.Integer({ examples: [0] }),
        resolved: Type.Integer({ examples: [0] }),
        ended: Type.Integer({ examples: [0] }),
      },
      strict,
    ),
    kinds: Type.Array(Type.Enum([...alertKinds])),
    criticity: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Largest criticity of its alerts.',
      examples: [0.82],
    }),
    raisedAt: Type.String({ ...instantSchema, description: 'Instant at which its newest alert was raised.' }),
    unprocessedIds: Type.Array(Type.String(), {
      maxItems: episodeIdsMax,
      description: 'Alerts to acknowledge or resolve, by date.',
      examples: [['12-20260302-1', '12-20260303-1']],
    }),
    alert: alertSchema,
  },
  {
    ...strict,
    title: 'Episode',
    description: 'Consecutive dates of a source with alerts, and the most critical of them.',
  },
);

export const episodePageSchema = Type.Object(
  {
    episodes: Type.Array(episodeSchema),
    nextCursor: Type.Optional(
      Type.String({ description: 'Send it as cursor for the next page.', examples: ['12-20260302'] }),
    ),
  },
  { ...strict, title: 'EpisodePage' },
);
