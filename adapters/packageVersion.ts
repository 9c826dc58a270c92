import { readFileSync } from 'node:fs';

let known: string | undefined;

/** The version of this package, which is in the folder above the build. */
export const packageVersion = (): string => {
  const file = new URL('../../package.json', import.meta.url);
  return (known ??= (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version);
};
