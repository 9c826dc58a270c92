import Type from 'typebox';
import { audit } from '../../../domain/audit.js';
import { streams } from '../../../domain/events.js';
import type { Service } from '../../../application/service.js';
import { Problem } from '../middleware/problems.js';
import { noFields, originOf } from '../resources.js';
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
    params: noFields,
    query: noFields,
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
    run: async call => {
      const { tenant } = call.actor;
      const begun = await call.begin();
      const person = await service.people.known({ tenant, subject: call.body.subject });
      if (!person)
        throw new Problem(404, 'personNotFound', 'no event was written under a key of such a subject');
      const personId = person.id;
      // In a log without events there is nothing to read any more, and its first is of its catalog.
      if (service.models.tree.size() > 0) {
        const command = { type: 'ErasePerson', personId } as const;
        await service.handle(audit, streams.audit(tenant), command, originOf(service, call, begun));
        await service.settled();
      } else await service.people.destroy(personId);
      return { status: 200, body: { personId } };
    },
  }),
];
