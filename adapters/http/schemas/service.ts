import Type from '../typebox.js';
import { strict } from './common.js';

export const healthSchema = Type.Object(
  {
    status: Type.Literal('ok'),
    readModels: Type.Object(
      {
        position: Type.String({ description: 'Position of the read models in the log.', examples: ['412'] }),
      },
      strict,
    ),
    reactor: Type.Object(
      {
        backlog: Type.Integer({
          description: 'Events that the process manager has not handled yet.',
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
