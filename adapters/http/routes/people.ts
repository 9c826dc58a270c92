import type { Deciding, Service } from '../../../application/requests/service.js';
import { erasePerson } from '../../../application/requests/useCases/changeTokens.js';
import { json, ok, route, type Route } from '../route.js';
import { strict } from '../schemas/common.js';
import Type from '../typebox.js';
import { subjectLengthMax } from '../middleware/tokens.js';

const erasureSchema = Type.Object(
  { subject: Type.String({ minLength: 1, maxLength: subjectLengthMax, examples: ['anna'] }) },
  { ...strict, title: 'Erasure' },
);

const erasedPersonSchema = Type.Object(
  {
    personId: Type.String({
      description: 'The random id that remains in events.',
      examples: ['5e1f0c9ab37d4e6880a1b2c3d4e5f607'],
    }),
  },
  { ...strict, title: 'ErasedPerson' },
);

export const peopleRoutes = (service: Deciding & Pick<Service, 'people'>): readonly Route[] => [
  route({
    at: 'POST /v1/person/erase',
    operationId: 'erasePerson',
    summary: 'Erase a person: destroys the key of their name and comments in events',
    scope: 'erase',
    body: json(erasureSchema, 4096),
    answers: ok('The key was destroyed', erasedPersonSchema),
    problems: ['personNotFound'],
    result: async call => ({ personId: await erasePerson(service, call, call.body.subject) }),
  }),
];
