// Writes the data of the demo into build/web/example, for people who look at the screens without data of their own. The
// server has to be compiled, and the screens built: their build removes what it does not write itself.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compress } from './compress.mjs';

const folder = fileURLToPath(new URL('../build/web/example', import.meta.url));

if (!existsSync(folder)) {
  const { csvLines, makeYear } = await import('../build/adapters/cli/demo/data.js');
  const { reference, recent } = makeYear(1);
  mkdirSync(folder, { recursive: true });
  for (const [name, samples] of Object.entries({ reference, recent }))
    writeFileSync(join(folder, `${name}.csv`), [...csvLines(samples)].join(''));
  compress(folder);
}
