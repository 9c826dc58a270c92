import Type from '../typebox.js';
import { strict } from './common.js';

const parkedSchema = Type.Object(
  {
    subject: Type.String({
      description: 'The source by its id; `webhooks`, `audit` or `catalog` for a stream of no source.',
      examples: ['source-7'],
    }),
    position: Type.String({ description: 'Position of the event in the log.', examples: ['412'] }),
    type: Type.String({ description: 'Type of the event.', examples: ['DaysImported'] }),
    cause: Type.String({
      description: 'Name of the error; the log of the service has its message.',
      examples: ['SQLITE_CONSTRAINT_NOTNULL'],
    }),
  },
  { ...strict, title: 'Parked' },
);

export const healthSchema = Type.Object(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')], {
      description: 'degraded: requests are handled, and something needs attention.',
      examples: ['ok'],
    }),
    causes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            code: Type.String({ examples: ['keysUnavailable'] }),
            detail: Type.String({ examples: ['the keys of JWT_JWKS_URL cannot be fetched'] }),
          },
          strict,
        ),
        { description: 'Why it is degraded.' },
      ),
    ),
    parked: Type.Optional(
      Type.Array(parkedSchema, {
        description:
          'The first 20 sources, and streams of no source, with an event that this build cannot handle.',
      }),
    ),
    readModels: Type.Object(
      {
        position: Type.String({ description: 'Position of the read models in the log.', examples: ['412'] }),
      },
      strict,
    ),
    reactor: Type.Object(
      {
        backlog: Type.Integer({
          description:
            'Events whose checks or analyses are not in the log yet, without parked ones; with EventStoreDB also the ' +
            'events that the server has to pass before it delivers new ones.',
          examples: [0],
        }),
        parked: Type.Integer({
          description: 'Events that failed repeatedly; see daybook replay-parked.',
          examples: [0],
        }),
      },
      strict,
    ),
    analysis: Type.Object(
      { waiting: Type.Integer({ description: 'Analyses in the queue.', examples: [0] }) },
      strict,
    ),
  },
  { ...strict, title: 'Health' },
);

/** The answer of the probes of supervisors and load balancers. */
export const okSchema = Type.Object({ status: Type.Literal('ok') }, { ...strict, title: 'Ok' });

export const homeSchema = Type.Object(
  {
    name: Type.Literal('Daybook'),
    description: Type.Literal('/openapi.json', { description: 'The API as OpenAPI 3.1.' }),
    health: Type.Literal('/health', { description: 'Whether the service can handle requests.' }),
    documentation: Type.Literal('/docs', {
      description: 'The reference of the API to try out, and the pages for users, auditors and operators.',
    }),
  },
  { ...strict, title: 'Home' },
);
