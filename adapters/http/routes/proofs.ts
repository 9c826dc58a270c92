// The tree covers the log of all tenants. A tenant learns the number of other events and their hashes, which reveal
// nothing because each leaf contains random ids. A tenant reads its own events only.
import Type from '../typebox.js';
import { isOfTenant, recordReading } from '../../../application/requests/history/auditTrail.js';
import { damageAdvice } from '../../../application/ports/eventStore.js';
import { queryFault } from '../../../application/requests/imports/faults.js';
import type { Deciding, Service } from '../../../application/requests/service.js';
import { signedCheckpoint, type SignedCheckpoint } from '../../../auditing/checkpoint.js';
import { lineOf } from '../../../auditing/eventBytes.js';
import { isSoundTree } from '../../../application/reading/parking.js';
import { logTree } from '../../../application/reading/projectionRunner.js';
import type { ConsistencyProof, InclusionProof } from '../../../auditing/merkle.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { Actor } from '../middleware/tokens.js';
import { recordingProblems } from '../problemTypes.js';
import { Problem, unavailable } from '../problem.js';
import { ok, route, type Route } from '../route.js';
import { instantSchema, text, named, integer, object } from '../schemas/common.js';

const hashSchema = text('SHA-256.', '5f'.repeat(32), { pattern: '^[0-9a-f]{64}$' });
const pathSchema = Type.Array(hashSchema, { description: 'Hashes in the order of RFC 9162.' });

/** Number of events of a log. */
const treeSizeSchema = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [530] });

const successionSchema = named('KeySuccession', {
  keyId: Type.String({ description: 'Id of the earlier key, which signs.' }),
  nextKey: Type.String({ description: 'The later public key: SPKI, DER, base64.' }),
  at: instantSchema,
  signature: Type.String(),
});

const checkpointSchema = named('Checkpoint', {
  origin: text('Id of the first event of the log.', '0b7c0001-1f2e-5a3b-9c4d-0123456789ab'),
  size: integer('Number of events of the log, of all tenants.', 530, { minimum: 1 }),
  root: hashSchema,
  at: instantSchema,
  keyId: text('SHA-256 of the public key (SPKI, DER).', 'ab'.repeat(32)),
  signature: text(
    'Ed25519, base64, over the canonical JSON (RFC 8785) of the fields before it.',
    `${'A'.repeat(86)}==`,
  ),
  successions: Type.Optional(
    Type.Array(successionSchema, { description: 'Changes of the key, oldest first.', examples: [[]] }),
  ),
});

const inclusionProofSchema = named('InclusionProof', {
  leaf: text('The line of the event in an export.', '{"at":"2026-03-02…"}'),
  leafIndex: Type.Integer({ minimum: 0, examples: [411] }),
  treeSize: treeSizeSchema,
  inclusionPath: pathSchema,
});

const consistencyProofSchema = named('ConsistencyProof', {
  from: Type.Integer({ ...treeSizeSchema, examples: [400] }),
  to: treeSizeSchema,
  consistencyPath: pathSchema,
});

/** Routes of checkpoints and of proofs in the Merkle tree. */
export const proofRoutes = (
  service: Deciding & Pick<Service, 'checkpoints' | 'log' | 'now' | 'requireWhole'>,
): readonly Route[] => [checkpointRoute(service), inclusionRoute(service), consistencyRoute(service)];

const checkpointRoute = (service: Pick<Service, 'checkpoints' | 'models' | 'now'>): Route =>
  route({
    at: 'GET /v1/audit/checkpoint',
    operationId: 'getCheckpoint',
    summary: 'Get a signed checkpoint of the log, to be kept outside the service',
    scope: 'audit',
    answers: ok('The checkpoint', checkpointSchema),
    problems: ['checkpointKeyMissing', 'logEmpty'],
    result: async () => presentCheckpoint(service),
  });

const inclusionRoute = (service: Deciding & Pick<Service, 'log' | 'requireWhole'>): Route =>
  route({
    at: 'GET /v1/audit/proof/inclusion',
    operationId: 'proveInclusion',
    summary: 'Get an event with the proof that the log of a checkpoint contains it; each reading is recorded',
    scope: 'audit',
    query: object({
      eventId: Type.String({ maxLength: 100, examples: ['0b7c0013-1f2e-5a3b-9c4d-0123456789ab'] }),
      treeSize: Type.Optional(treeSizeSchema),
    }),
    answers: ok('The proof (RFC 9162 §2.1.3)', inclusionProofSchema),
    problems: ['eventNotFound', ...recordingProblems],
    run: async call => {
      const { actor, query } = call;
      await service.caughtUp();
      requireSoundTree(service.models);
      const { index, line } = await ownLeaf(service, actor, query.eventId);
      const log = logTree(service.models.tree);
      const { treeSize = log.size() } = query;
      requireSize('treeSize', treeSize, index + 1, log.size());
      await recordReading(service, call, { query, format: 'proof', count: 1 });
      const body: InclusionProof = {
        leaf: line,
        leafIndex: index,
        treeSize,
        inclusionPath: hexOf(log.inclusion(index, treeSize)),
      };
      // The hash of the leaf covers the event as it is stored.
      return { status: 200, body, sealed: true };
    },
  });

const consistencyRoute = ({ models }: Pick<Service, 'models'>): Route =>
  route({
    at: 'GET /v1/audit/proof/consistency',
    operationId: 'proveConsistency',
    summary: 'Get the proof that the log of "from" events is the beginning of the log of "to" events',
    scope: 'audit',
    query: object({ from: treeSizeSchema, to: Type.Optional(treeSizeSchema) }),
    answers: ok('The proof (RFC 9162 §2.1.4)', consistencyProofSchema),
    problems: ['logEmpty'],
    result: async ({ query }) => {
      requireSoundTree(models);
      const log = logTree(models.tree);
      if (log.size() === 0) throw logEmpty();
      const { from, to = log.size() } = query;
      requireSize('to', to, 1, log.size());
      requireSize('from', from, 1, to);
      const body: ConsistencyProof = { from, to, consistencyPath: hexOf(log.consistency(from, to)) };
      return body;
    },
  });

/** Refuses proofs of a damaged log. The event may belong to another tenant: it is not named. @throws Problem 503 */
const requireSoundTree = (models: Pick<ReadModels, 'parked'>): void => {
  if (!isSoundTree(models))
    throw unavailable(
      'logDamaged',
      `there are no proofs: the log is damaged; the operator has to ${damageAdvice}`,
    );
};

const logEmpty = (): Problem => new Problem('logEmpty', 'the log has no event yet');

/** @throws Problem 404 without a key, 409 for an empty log */
const presentCheckpoint = ({
  models,
  checkpoints,
  now,
}: Pick<Service, 'models' | 'checkpoints' | 'now'>): SignedCheckpoint => {
  if (!checkpoints)
    throw new Problem(
      'checkpointKeyMissing',
      'no key is configured for signing checkpoints; see the setting AUDIT_KEY_FILE',
    );
  requireSoundTree(models);
  const first = models.tree.leaf(0);
  if (!first) throw logEmpty();
  const log = logTree(models.tree);
  const size = log.size();
  const root = log.root().toString('hex');
  return signedCheckpoint({ origin: first.eventId, size, root, at: now() }, checkpoints);
};

/**
 * Place of an event of the tenant in the tree, and its export line.
 * @throws Problem 404
 */
const ownLeaf = async (
  service: Pick<Service, 'models' | 'log' | 'requireWhole'>,
  actor: Actor,
  eventId: string,
) => {
  const leaf = service.models.tree.byEvent(eventId);
  if (leaf)
    for await (const event of service.log.read(leaf.stream, leaf.revision)) {
      if (event.id !== eventId || !isOfTenant(service, event, actor.tenant)) break;
      return { index: leaf.index, line: lineOf(event) };
    }
  throw new Problem('eventNotFound', `no event ${eventId}`);
};

/** @throws InvalidInput for a size of the tree that is out of range */
const requireSize = (name: string, size: number, from: number, to: number): void => {
  if (size >= from && size <= to) return;
  throw queryFault({
    code: 'treeSize',
    pointer: `/query/${name}`,
    detail: `got ${size}, expected ${from} to ${to}`,
  });
};

const hexOf = (hashes: readonly Buffer[]): string[] => hashes.map(hash => hash.toString('hex'));
