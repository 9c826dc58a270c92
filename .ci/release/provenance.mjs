// A statement how a release was made, in the form of in-toto and SLSA, signed in a DSSE envelope.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { sha256 } from './sources.mjs';

const statementType = 'application/vnd.in-toto+json';

/** Names the way a release is built: docs/releases.md describes it. */
const buildType = 'urn:daybook:release:1';

/**
 * Statement about files that were built from a commit.
 * @param files name and SHA-256 of each
 */
export const statementOf = ({ version, commit, lockDigests, files }) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: files.map(({ name, digest }) => ({ name, digest: { sha256: digest } })),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType,
      externalParameters: { version },
      internalParameters: { node: process.version, platform: `${process.platform}-${process.arch}` },
      resolvedDependencies: [
        { name: 'source', digest: { gitCommit: commit } },
        ...lockDigests.map(({ name, digest }) => ({ name, digest: { sha256: digest } })),
      ],
    },
    runDetails: { builder: { id: 'urn:daybook:release-check' }, metadata: { invocationId: commit } },
  },
});

/** Bytes that a signature covers: pre-authentication encoding of DSSE v1. */
export const signedBytes = (type, payload) =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload]);

const keyIdOf = publicKey => sha256(publicKey.export({ type: 'spki', format: 'der' }));

/**
 * Envelope of a statement.
 * @param pem private key, Ed25519, as PEM
 */
export const signedEnvelope = (statement, pem) => {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`got a key of type ${key.asymmetricKeyType}, expected ed25519`);
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = sign(null, signedBytes(statementType, payload), key).toString('base64');
  return {
    payloadType: statementType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: keyIdOf(createPublicKey(key)), sig }],
  };
};

/**
 * Statement of an envelope.
 * @param pem public key as PEM
 * @throws Error when no signature is of this key
 */
export const verifiedStatement = ({ payloadType, payload, signatures }, pem) => {
  const key = createPublicKey(pem);
  const bytes = signedBytes(payloadType, Buffer.from(payload, 'base64'));
  const isSigned = signatures.some(({ sig }) => verify(null, bytes, key, Buffer.from(sig, 'base64')));
  if (payloadType !== statementType || !isSigned)
    throw new Error(`got no signature of the key ${keyIdOf(key)}, expected one on the provenance`);
  return JSON.parse(Buffer.from(payload, 'base64').toString('utf8'));
};

/**
 * Differences between a statement and files.
 * @param files name and SHA-256 of each
 */
export const subjectFaults = ({ subject }, files) => {
  const found = new Map(files.map(({ name, digest }) => [name, digest]));
  const named = new Set(subject.map(({ name }) => name));
  return [
    ...subject.flatMap(({ name, digest }) =>
      found.get(name) === digest.sha256
        ? []
        : [`${name}: got SHA-256 ${found.get(name) ?? 'of no file'}, expected ${digest.sha256}`],
    ),
    ...files.flatMap(({ name }) =>
      named.has(name) ? [] : [`${name}: got a file that the provenance does not name`],
    ),
  ];
};
