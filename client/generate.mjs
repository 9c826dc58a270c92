// Writes openapi.ts, the types of the API, from the description of the compiled service, and types.py, those of the
// Python client. Problems are left out: a client throws them as ProblemError. Prints a line when a file changed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';
import { format } from 'prettier';

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

/** Text of a Python string. JSON escapes are escapes of Python, too. */
const quoted = text => JSON.stringify(text);

const pascal = name => name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first) => first.toUpperCase());

const simple = { string: 'str', number: 'float', integer: 'int', boolean: 'bool', null: 'None' };

/** The schema that several together are: their properties in one object. */
const merged = parts => ({
  type: 'object',
  properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  required: parts.flatMap(({ required = [] }) => required),
});

/**
 * Python types of the schemas of components.
 * @returns the definitions of TypedDicts and aliases, in the order in which they are found
 */
const definitionsOf = schemas => {
  const definitions = new Map();

  /** A name that no other definition has. */
  const freeName = name => {
    const taken = candidate => definitions.has(candidate) || Object.hasOwn(schemas, candidate);
    if (!taken(name)) return name;
    let count = 2;
    while (taken(`${name}${count}`)) count += 1;
    return `${name}${count}`;
  };

  const union = parts => {
    const types = [...new Set(parts)];
    if (types.includes('Any')) return 'Any';
    return types.length === 1 ? types[0] : `Union[${types.join(', ')}]`;
  };

  const objectType = (schema, name) => {
    const { properties, additionalProperties: others } = schema;
    if (properties && Object.keys(properties).length > 0) {
      const own = freeName(name);
      define(own, schema);
      return quoted(own);
    }
    return typeof others === 'object' ? `Dict[str, ${typeOf(others, `${name}Value`)}]` : 'Dict[str, Any]';
  };

  const typeOf = (schema, name) => {
    if (schema.$ref) return quoted(schema.$ref.split('/').at(-1));
    const options = schema.anyOf ?? schema.oneOf;
    if (options) return union(options.map(option => typeOf(option, name)));
    if (schema.allOf) return typeOf(schema.allOf.length === 1 ? schema.allOf[0] : merged(schema.allOf), name);
    if (schema.enum) return `Literal[${schema.enum.map(quoted).join(', ')}]`;
    if ('const' in schema)
      return typeof schema.const === 'string' ? `Literal[${quoted(schema.const)}]` : 'Any';
    if (schema.type === 'array') return `List[${schema.items ? typeOf(schema.items, `${name}Item`) : 'Any'}]`;
    if (schema.type === 'object' || schema.properties) return objectType(schema, name);
    return simple[schema.type] ?? 'Any';
  };

  /** Text of the definition of a schema under a name. */
  const define = (name, schema) => {
    definitions.set(name, '');
    const { properties = {}, required = [] } = schema.allOf ? merged(schema.allOf) : schema;
    if (Object.keys(properties).length === 0) {
      definitions.set(name, `${name} = ${typeOf({ ...schema, title: undefined }, `${name}Value`)}\n`);
      return;
    }
    const fields = Object.entries(properties).map(([field, part]) => {
      const type = typeOf(part, `${name}${pascal(field)}`);
      return `        ${quoted(field)}: ${required.includes(field) ? type : `NotRequired[${type}]`},\n`;
    });
    definitions.set(name, `${name} = TypedDict(\n    ${quoted(name)},\n    {\n${fields.join('')}    },\n)\n`);
  };

  for (const [name, schema] of Object.entries(schemas)) define(name, schema);
  return [...definitions.values()];
};

/** Method and path of each operation. */
const operationsOf = paths =>
  Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ operationId, method, path })),
    )
    .sort((a, b) => (a.operationId < b.operationId ? -1 : 1))
    .map(
      ({ operationId, method, path }) =>
        `    ${quoted(operationId)}: (${quoted(method.toUpperCase())}, ${quoted(path)}),\n`,
    );

/** Operations that take the size of a page, with the largest one. */
const pagedOf = paths =>
  Object.values(paths)
    .flatMap(methods => Object.values(methods))
    .flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter(({ name }) => name === 'limit')
        .map(({ schema }) => `    ${quoted(operationId)}: ${schema.maximum},\n`),
    )
    .sort();

/** Text of types.py for a description: the resources of the API as TypedDicts, and its operations. */
export const pythonTypesOf = ({ paths, components }) =>
  [
    '# Generated from the description of the API by client/generate.mjs; do not edit.\n' +
      '"""Resources of the API, and its operations by their ids."""\n',
    'from __future__ import annotations\n',
    'from typing import Any, Dict, List, Literal, NotRequired, Tuple, TypedDict, Union\n',
    `#: Method and path of each operation.\nOPERATIONS: Dict[str, Tuple[str, str]] = {\n${operationsOf(paths).join('')}}\n`,
    `#: Largest limit of operations that take one: the size of a page.\nPAGED = {\n${pagedOf(paths).join('')}}\n`,
    ...definitionsOf(components.schemas),
  ].join('\n');

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
