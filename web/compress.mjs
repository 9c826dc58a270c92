import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Writes .br and .gz copies next to each text file of a folder. Fonts are compressed already. */
export const compress = folder => {
  const texts = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && /\.(js|css|html|svg|csv)$/.test(entry.name),
  );
  for (const { parentPath, name } of texts) {
    const file = join(parentPath, name);
    const bytes = readFileSync(file);
    const brotli = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, brotli));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
};
