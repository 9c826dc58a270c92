// An independent checker, written from the documented formats only, must agree with Daybook.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { exportLine } from '../../auditing/eventBytes.js';
import { frontier, leafHash } from '../../auditing/merkle.js';
import { memoryStore } from '../../adapters/memoryStore.js';
import { fillByCommands, seeded } from '../helpers/logs/auditLog.js';
import { repositoryRoot } from '../helpers/repository.js';
import { listed, proposed } from '../helpers/logs/storeContract.js';

const withoutPython =
  spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3 on this machine';

/** Edge cases of canonical JSON: shortest digits of numbers, order and escapes of texts. */
const awkward = (() => {
  const random = seeded(3);
  const any = (): number => (random() - 0.5) * 10 ** Math.floor(random() * 60 - 30);
  return {
    numbers: [
      ...[0, -0, 1e21, 123e19, 1e-6, 1e-7, -1.5e-7, 2 ** 53, 5e-324, 1.7976931348623157e308, 0.1 + 0.2],
      ...Array.from({ length: 500 }, any),
    ],
    '\u20ac': 'Ürümqi 🎪 "\\/\b\f\n\r\t\u0001\u007f\u2028',
    '\ud83c\udfaa': true,
    '\ufb33': null,
  };
})();

t.test('an independent checker verifies an export', { skip: withoutPython }, async t => {
  const dir = t.testdir();
  const store = memoryStore();
  await fillByCommands(store, 300, 4);
  await store.append('source-99', 'absent', [proposed(1, awkward)]);
  await store.append('source-99', 0, [proposed(2, awkward)]);
  const lines = (await listed(store.all(0n))).map(exportLine);
  const tree = frontier();
  for (const line of lines) tree.append(leafHash(line));
  const root = tree.root().toString('hex');
  const checked = (log: readonly string[], checkpoint?: object) => {
    const [file, kept] = [join(dir, 'events.ndjson'), join(dir, 'checkpoint.json')];
    writeFileSync(file, log.map(line => `${line}\n`).join(''));
    if (checkpoint) writeFileSync(kept, JSON.stringify(checkpoint));
    const script = join(repositoryRoot(), 'test', 'helpers', 'checkLog.py');
    const { status, stdout, stderr } = spawnSync('python3', [script, file, ...(checkpoint ? [kept] : [])], {
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  const origin = (JSON.parse(lines[0] ?? '') as { id: string }).id;
  const clean = { status: 0, stdout: `ok ${lines.length} ${root}\n` };
  t.match(checked(lines), clean);
  t.match(checked(lines, { origin, size: lines.length, root }), clean);

  const at = 150;
  const line = lines[at] ?? '';
  const before = lines.slice(0, at);
  for (const [log, stderr] of [
    [[...before, line.replace('"at":"2024', '"at":"2025'), ...lines.slice(at + 1)], /^event 151 .* its hash/],
    [[...before, line.replace(',', ', '), ...lines.slice(at + 1)], /^event 151 .* canonical/],
    [[...before, line, line, ...lines.slice(at + 1)], /^event 152 .* follows revision/],
  ] as const)
    t.match(checked(log), { status: 1, stderr });
  t.match(checked(lines.slice(0, -1)), { status: 0 }, 'a missing end is found only with a checkpoint');
  t.match(checked(lines.slice(0, -1), { origin, size: lines.length, root }), {
    status: 1,
    stderr: /not those of the checkpoint/,
  });
});
