import type { Service } from '../../../application/service.js';
import { erasePerson } from '../../../application/useCases/erasePerson.js';
import { route, type Route } from '../route.js';
import { noFields } from '../schemas/common.js';
import { erasedPersonSchema, erasureSchema } from '../schemas/person.js';

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
