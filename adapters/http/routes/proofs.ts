import Type from 'typebox';
import { signedCheckpoint, type SignedCheckpoint } from '../../../auditing/checkpoint.js';
import { lineOf } from '../../../auditing/exportLine.js';
import { logTree } from '../../../application/projecting/logTree.js';
import type { ConsistencyProof, InclusionProof } from '../../../auditing/proofs.js';
import { InvalidInput } from '../../../application/imports/faults.js';
import type { Service } from '../../../application/service.js';
import { Problem } from '../middleware/problems.js';
import { tenantOfEvent } from '../../../application/history/eventOwner.js';
import { recordReading } from '../../../application/useCases/recordReading.js';
import { route, type Route } from '../route.js';
import * as schemas from '../schemas.js';
import type { Actor } from '../middleware/tokens.js';

// The tree is of the whole log, whoever's the events are. What a tenant sees of others' is how many they are, and
// hashes, which say nothing: each leaf holds ids that nobody can guess. Events are shown to their own tenant alone.

const hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256' });
const count = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const path = Type.Array(hash, { description: 'in the order of RFC 9162' });

const signedCheckpointSchema = Type.Object(
  {
    origin: Type.String({ description: 'id of the first event of the log' }),
    size: Type.Integer({ minimum: 1, description: 'events of the log, of all tenants' }),
    root: hash,
    at: schemas.instant,
    keyId: Type.String({ description: 'SHA-256 of the public key (SPKI, DER)' }),
    signature: Type.String({
      description: 'Ed25519, in base64, over the canonical JSON (RFC 8785) of the fields before it',
    }),
    successions: Type.Optional(
      Type.Array(
        Type.Object(
          {
            keyId: Type.String({ description: 'of the key before, which signs' }),
            nextKey: Type.String({ description: 'the public key after it: SPKI, DER, in base64' }),
            at: schemas.instant,
            signature: Type.String(),
          },
          schemas.strict,
        ),
        { description: 'how the key came after earlier ones, oldest first' },
      ),
    ),
  },
  schemas.strict,
);

/** A size of the tree that a query names. */
const requireSize = (name: string, size: number, from: number, to: number): void => {
  if (size >= from && size <= to) return;
  throw new InvalidInput('parametersInvalid', 'the query is not valid', [
    { code: 'treeSize', pointer: `/query/${name}`, detail: `got ${size}, expected ${from} to ${to}` },
  ]);
};

const hexOf = (hashes: readonly Buffer[]): string[] => hashes.map(of => of.toString('hex'));

export const proofRoutes = (service: Service): readonly Route[] => {
  const { models } = service;
  const noEvents = (): Problem => new Problem(409, 'logEmpty', 'the log has no event yet');

  const present = (): SignedCheckpoint => {
    if (!service.checkpoints)
      throw new Problem(
        404,
        'checkpointKeyMissing',
        'no key is configured to sign checkpoints with: see AUDIT_KEY_FILE',
      );
    const first = models.tree.first();
    if (!first) throw noEvents();
    const log = logTree(models.tree);
    const [size, root] = [log.size(), log.root().toString('hex')];
    return signedCheckpoint({ origin: first.eventId, size, root, at: service.now() }, service.checkpoints);
  };

  /** Where an event of the actor's tenant is in the tree, and its line. */
  const ownLeaf = async (actor: Actor, eventId: string) => {
    const leaf = models.tree.ofEvent(eventId);
    if (leaf)
      for await (const event of service.log.read(leaf.stream, leaf.revision)) {
        if (event.id !== eventId || tenantOfEvent(service, event) !== actor.tenant) break;
        return { index: leaf.index, line: lineOf(event) };
      }
    throw new Problem(404, 'eventNotFound', `no event ${eventId}`);
  };

  return [
    route({
      method: 'get',
      path: '/v1/audit/checkpoint',
      operationId: 'getCheckpoint',
      summary: 'A signed statement of what the log is now, to be kept elsewhere',
      scope: 'audit',
      params: schemas.noFields,
      query: schemas.noFields,
      body: { kind: 'none' },
      answers: { 200: { description: 'A checkpoint', schema: signedCheckpointSchema } },
      run: async () => ({ status: 200, body: present() }),
    }),
    route({
      method: 'get',
      path: '/v1/audit/proof/inclusion',
      operationId: 'proveInclusion',
      summary: 'An event, and the proof that it is in the log of a checkpoint; each such reading is noted',
      scope: 'audit',
      params: schemas.noFields,
      query: Type.Object(
        { eventId: Type.String({ maxLength: 100 }), treeSize: Type.Optional(count) },
        schemas.strict,
      ),
      body: { kind: 'none' },
      answers: {
        200: {
          description: 'The proof (RFC 9162 §2.1.3); its leaf is the line that an export has for the event',
          schema: Type.Object(
            {
              leaf: Type.String(),
              leafIndex: Type.Integer({ minimum: 0 }),
              treeSize: count,
              inclusionPath: path,
            },
            schemas.strict,
          ),
        },
      },
      run: async call => {
        const { actor, query } = call;
        await service.caughtUp();
        const { index, line } = await ownLeaf(actor, query.eventId);
        const log = logTree(models.tree);
        const { treeSize = log.size() } = query;
        requireSize('treeSize', treeSize, index + 1, log.size());
        await recordReading(service, call, { query, format: 'proof', count: 1 });
        const body: InclusionProof = {
          leaf: line,
          leafIndex: index,
          treeSize,
          inclusionPath: hexOf(log.inclusion(index, treeSize)),
        };
        // The leaf's hash is of the event as it is stored.
        return { status: 200, body, sealed: true };
      },
    }),
    route({
      method: 'get',
      path: '/v1/audit/proof/consistency',
      operationId: 'proveConsistency',
      summary: 'The proof that the log of "from" events is how that of "to" events begins',
      scope: 'audit',
      params: schemas.noFields,
      query: Type.Object({ from: count, to: Type.Optional(count) }, schemas.strict),
      body: { kind: 'none' },
      answers: {
        200: {
          description: 'The proof (RFC 9162 §2.1.4)',
          schema: Type.Object({ from: count, to: count, consistencyPath: path }, schemas.strict),
        },
      },
      run: async ({ query }) => {
        const log = logTree(models.tree);
        if (log.size() === 0) throw noEvents();
        const { from, to = log.size() } = query;
        requireSize('to', to, 1, log.size());
        requireSize('from', from, 1, to);
        const body: ConsistencyProof = { from, to, consistencyPath: hexOf(log.consistency(from, to)) };
        return { status: 200, body };
      },
    }),
  ];
};
