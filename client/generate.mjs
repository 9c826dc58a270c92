// Writes openapi.ts, the types of the API, from the description of the compiled service, and types.py, those of the
// Python client. Problems are left out: a client throws them as ProblemError. Prints a line when a file changed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';
import { format } from 'prettier';
import { pythonTypesOf } from './generatePython.mjs';

const folder = dirname(fileURLToPath(import.meta.url));

/** A value without the examples in it; they are for readers of the description. */
const withoutExamples = value => {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, part]) => name !== 'example' && !(name === 'examples' && Array.isArray(part)))
      .map(([name, part]) => [name, withoutExamples(part)]),
  );
};

/** The description with successful answers in JSON alone. */
const reduced = description => {
  const { paths, components, ...rest } = structuredClone(description);
  for (const operations of Object.values(paths))
    for (const operation of Object.values(operations))
      for (const [status, answer] of Object.entries(operation.responses)) {
        if (Number(status) >= 400) delete operation.responses[status];
        delete answer.headers;
        if (answer.content?.['application/json'])
          answer.content = { 'application/json': answer.content['application/json'] };
      }
  return withoutExamples({ ...rest, paths, components: { schemas: components.schemas } });
};

/** Text of openapi.ts for a description. Objects that fit into a line are in one: it is read by people, too. */
export const typesOf = async description => {
  const { prettier: style } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8'));
  const types = astToString(await openapiTypes(reduced(description)));
  const text = `// Generated from the description of the API by client/generate.mjs; do not edit.\n${types}`;
  return format(text, { ...style, parser: 'typescript', objectWrap: 'collapse' });
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { openApi } = await import('../build/adapters/http/openApi/document.js');
  const { routesOf } = await import('../build/adapters/http/app.js');
  const { noMetrics } = await import('../build/application/ports/monitoring.js');
  // The description comes from the schemas of the routes; no route runs, so they need no service.
  const description = openApi(routesOf({ environment: {}, metrics: noMetrics }));
  const texts = {
    'openapi.ts': await typesOf(description),
    'python/daybook/types.py': pythonTypesOf(description),
  };
  for (const [name, types] of Object.entries(texts)) {
    const file = join(folder, name);
    if (existsSync(file) && readFileSync(file, 'utf8') === types) continue;
    writeFileSync(file, types);
    console.log(`client/${name} changed: the description of the API is another one`);
  }
}
