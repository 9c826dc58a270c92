import { audit } from '../../../domain/audit.js';
import { streams } from '../../../domain/streams.js';
import { Rejection } from '../../../domain/rejection.js';
import type { Requester } from '../access.js';
import type { Deciding, Service } from '../service.js';

/**
 * Destroys the key of a person of the actor's tenant: their encrypted texts become unreadable.
 * @returns id of the person's key, which stays in events
 * @throws Rejection `personNotFound`
 */
export const erasePerson = async (
  service: Deciding & Pick<Service, 'people'>,
  requester: Requester,
  subject: string,
): Promise<string> => {
  const { tenant } = requester.actor;
  const metadata = await requester.begin();
  const person = await service.people.known({ tenant, subject });
  if (!person) throw new Rejection('personNotFound', 'unknown subject: no event was written for it');
  const personId = person.id;
  // The first event of a log belongs to the catalog, so an empty log gets no event.
  if (service.models.tree.size() === 0) await service.people.destroy(personId);
  else {
    await service.handle(audit, streams.audit(tenant), { type: 'ErasePerson', personId } as const, metadata);
    await service.caughtUp();
  }
  return personId;
};
