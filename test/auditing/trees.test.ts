import { createHash } from 'node:crypto';
import fc from '../helpers/property.js';
import t from 'tap';
import { NotCanonical, canonicalJson } from '../../auditing/eventBytes.js';
import {
  emptyRoot,
  frontier,
  isConsistent,
  isIncluded,
  leafHash,
  merkleTree,
  nodeHash,
  type MerkleTree,
  type Proof,
} from '../../auditing/merkle.js';

// --- canonical JSON ---------------------------------------------------------------------------------------------

t.test('canonical JSON: the example of RFC 8785 §3.2.2', async t => {
  const input = `{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
    "literals": [null, true, false]
  }`;
  const expected =
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
    '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}';
  t.equal(canonicalJson(JSON.parse(input)), expected);
  t.match(
    Buffer.from(expected).toString('hex'),
    /^7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e33/,
    'the bytes of §3.2.4',
  );
});

t.test('canonical JSON: the order of names of RFC 8785 §3.2.3', async t => {
  const input = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  };
  t.strictSame(
    Object.values(
      JSON.parse(
        `[${[...canonicalJson(input).matchAll(/:("[^"]*")/g)].map(([, text]) => text).join()}]`,
      ) as string[],
    ),
    [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ],
  );
});

t.test('canonical JSON: the numbers of RFC 8785, appendix B', async t => {
  const numbers: readonly (readonly [string, string])[] = [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ];
  for (const [hex, text] of numbers)
    t.equal(canonicalJson(Buffer.from(hex, 'hex').readDoubleBE()), text, hex);
  for (const hex of ['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])
    t.throws(() => canonicalJson(Buffer.from(hex, 'hex').readDoubleBE()), NotCanonical, hex);
});

t.test('canonical JSON: values without a canonical form are refused at any depth', async t => {
  for (const value of ['\ud83d', '\udead', 'a\ud83db', undefined, 1n, () => 1, Symbol('s')]) {
    t.throws(() => canonicalJson(value), NotCanonical);
    t.throws(() => canonicalJson({ a: [value] }), NotCanonical);
  }
  t.throws(() => canonicalJson({ '\ud83d': 1 }), NotCanonical, 'in a name');
  t.equal(canonicalJson({ b: undefined, a: {} }), '{"a":{}}', 'an undefined field is omitted');
});

t.test('canonical JSON: one form for each value, which is valid JSON', async t => {
  const shuffled = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shuffled)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([name, nested]) => [name, shuffled(nested)]),
          )
        : value;
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
      const text = canonicalJson(value);
      if (text !== canonicalJson(shuffled(value))) throw new Error('another form');
      if (text !== canonicalJson(JSON.parse(text))) throw new Error('the form of the parsed form differs');
      if (JSON.stringify(JSON.parse(text)).length !== text.length)
        throw new Error('longer than JSON.stringify');
    }),
    { numRuns: 200 },
  );
  t.pass('200 values');
});

// --- the tree ---------------------------------------------------------------------------------------------------

/** The eight leaves of the Certificate Transparency tests, and the roots of the first one to eight leaves. */
const leaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map(hex => Buffer.from(hex, 'hex'));
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const hexOf = (proof: Proof): string[] => proof.map(hash => hash.toString('hex'));

const treeOf = (entries: readonly (Buffer | string)[]): MerkleTree => {
  const tree = merkleTree();
  for (const entry of entries) tree.append(leafHash(entry));
  return tree;
};

t.test('Merkle tree: the roots of the Certificate Transparency tests', async t => {
  const [tree, growing] = [merkleTree(), frontier()];
  t.equal(emptyRoot.toString('hex'), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  t.strictSame([tree.root(), growing.root()], [emptyRoot, emptyRoot]);
  for (const [n, leaf] of leaves.entries()) {
    tree.append(leafHash(leaf));
    growing.append(leafHash(leaf));
    t.equal(tree.root().toString('hex'), roots[n]);
    t.equal(growing.root().toString('hex'), roots[n]);
    t.strictSame([tree.size(), growing.size()], [n + 1, n + 1]);
  }
  for (const [n, root] of roots.entries()) t.equal(tree.root(n + 1).toString('hex'), root, 'an earlier root');
});

t.test('Merkle tree: the proofs of the Certificate Transparency tests', async t => {
  const tree = treeOf(leaves);
  t.strictSame(hexOf(tree.inclusion(0, 1)), []);
  t.strictSame(hexOf(tree.inclusion(0, 8)), [
    '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  ]);
  t.strictSame(hexOf(tree.inclusion(5, 8)), [
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  ]);
  t.strictSame(hexOf(tree.inclusion(2, 3)), [
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  ]);
  t.strictSame(hexOf(tree.inclusion(1, 5)), [
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  ]);
  t.strictSame(hexOf(tree.consistency(1, 1)), []);
  t.strictSame(hexOf(tree.consistency(1, 8)), [
    '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  ]);
  t.strictSame(hexOf(tree.consistency(6, 8)), [
    '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
    'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  ]);
  t.strictSame(hexOf(tree.consistency(2, 5)), [
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  ]);
});

t.test('Merkle tree: no proofs outside the tree', async t => {
  const tree = treeOf(leaves);
  for (const [index, size] of [
    [8, 8],
    [-1, 8],
    [0.5, 8],
    [0, 9],
    [0, 0],
    [5, 5],
  ] as const)
    t.throws(() => tree.inclusion(index, size), RangeError);
  for (const [older, size] of [
    [0, 8],
    [9, 9],
    [6, 5],
    [1.5, 8],
  ] as const)
    t.throws(() => tree.consistency(older, size), RangeError);
  t.throws(() => tree.root(9), RangeError);
});

/** Root according to RFC 9162 §2.1.1. */
const rootOf = (entries: readonly string[]): Buffer => {
  if (entries.length === 0) return createHash('sha256').digest();
  if (entries.length === 1) return leafHash(entries[0] ?? '');
  let k = 1;
  while (k * 2 < entries.length) k *= 2;
  return nodeHash(rootOf(entries.slice(0, k)), rootOf(entries.slice(k)));
};

const entriesOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `entry ${n}`);

t.test('Merkle tree: the root equals the definition for any growth', async t => {
  for (let count = 0; count <= 70; count += 1) {
    const entries = entriesOf(count);
    const [tree, growing] = [treeOf(entries), frontier()];
    for (const entry of entries) growing.append(leafHash(entry));
    const copy = growing.copy();
    growing.append(leafHash('another'));
    const found = [tree.root(), copy.root()].map(root => root.equals(rootOf(entries)));
    if (found.includes(false)) t.fail(`${count} leaves`);
  }
  t.pass('0 to 70 leaves');
});

/** A proof with one change: a bit, a hash added or removed, or two hashes exchanged. */
const altered = (proof: Proof, at: number): Proof[] => {
  const bent = (hash: Buffer): Buffer => {
    const other = Buffer.from(hash);
    other[at % 32] = (other[at % 32] ?? 0) ^ (1 << (at % 8));
    return other;
  };
  const place = proof.length === 0 ? 0 : at % proof.length;
  return [
    proof.map((hash, n) => (n === place ? bent(hash) : hash)),
    [...proof, emptyRoot],
    [emptyRoot, ...proof],
    proof.slice(1),
    proof.slice(0, -1),
    [...proof].reverse(),
    [...proof, ...proof],
  ].filter(other => hexOf(other).join() !== hexOf(proof).join());
};

t.test('inclusion proof: every proof is valid, every altered one is not', async t => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), fc.nat(), (size, pick, at) => {
      const tree = treeOf(entriesOf(size));
      const index = pick % size;
      const [leaf, root, proof] = [leafHash(`entry ${index}`), tree.root(), tree.inclusion(index)];
      const head = { size, root };
      if (!isIncluded(leaf, index, head, proof)) throw new Error(`${index} of ${size} is refused`);
      for (const other of altered(proof, at))
        if (isIncluded(leaf, index, head, other)) throw new Error('an altered proof');
      if (isIncluded(leafHash('a missing entry'), index, head, proof)) throw new Error('another leaf');
      if (isIncluded(leaf, index, { size, root: emptyRoot }, proof)) throw new Error('another root');
      if (size > 1 && isIncluded(leaf, (index + 1) % size, head, proof)) throw new Error('another index');
      if (isIncluded(leaf, size, head, proof)) throw new Error('an index beyond the end');
    }),
    { numRuns: 150 },
  );
  t.pass('150 trees');
});

t.test('consistency proof: every proof is valid, every altered one is not', async t => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), fc.nat(), (size, pick, at) => {
      const tree = treeOf(entriesOf(size));
      const older = 1 + (pick % size);
      const was = { size: older, root: tree.root(older) };
      const is = { size, root: tree.root() };
      const proof = tree.consistency(older);
      if (!isConsistent(was, is, proof)) throw new Error(`${older} in ${size} is refused`);
      for (const other of altered(proof, at))
        if (isConsistent(was, is, other)) throw new Error('an altered proof');
      if (isConsistent({ size: older, root: emptyRoot }, is, proof)) throw new Error('another older root');
      if (isConsistent(was, { size, root: emptyRoot }, proof)) throw new Error('another root');
      if (older < size && isConsistent({ ...was, root: is.root }, { ...is, root: was.root }, proof))
        throw new Error('roots exchanged');
      if (isConsistent({ ...was, size: size + 1 }, is, proof))
        throw new Error('an older tree that is larger');
    }),
    { numRuns: 150 },
  );
  t.pass('150 trees');
});
