import type { Service } from '../../../application/requests/service.js';
import { erasePerson } from '../../../application/requests/useCases/erasePerson.js';
import { route, type Route } from '../route.js';
import { noFields, strict } from '../schemas/common.js';
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

export const peopleRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'post',
    path: '/v1/person/erase',
    operationId: 'erasePerson',
    summary: 'Erase a person: destroys the key of their name and comments in events',
    scope: 'erase',
    params: noFields,
    query: noFields,
    body: { kind: 'json', schema: erasureSchema, bytesMax: 4096 },
    answers: { 200: { description: 'The key was destroyed', schema: erasedPersonSchema } },
    problems: ['personNotFound'],
    run: async call => ({
      status: 200,
      body: { personId: await erasePerson(service, call, call.body.subject) },
    }),
  }),
];
