import Type from 'typebox';
import type { Service } from '../../../application/service.js';
import { erasePerson } from '../../../application/useCases/erasePerson.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';
import { subjectLengthMax } from '../middleware/tokens.js';

export const peopleRoutes = (service: Service): readonly Route[] => [
  route({
    method: 'post',
    path: '/v1/person/erase',
    operationId: 'erasePerson',
    summary: "Destroys a person's key: nobody can read any more who they were in events, or what they said",
    scope: 'erase',
    params: schemas.noFields,
    query: schemas.noFields,
    body: {
      kind: 'json',
      schema: Type.Object(
        { subject: Type.String({ minLength: 1, maxLength: subjectLengthMax }) },
        schemas.strict,
      ),
      bytesMax: 4096,
    },
    answers: {
      200: {
        description: 'It is done',
        schema: Type.Object(
          { personId: Type.String({ description: 'what is left of them in events' }) },
          schemas.strict,
        ),
      },
    },
    run: async call => ({
      status: 200,
      body: { personId: await erasePerson(service, call, call.body.subject) },
    }),
  }),
];
