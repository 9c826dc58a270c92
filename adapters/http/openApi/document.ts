import { scopes } from '../middleware/tokens.js';
import { publicOperations, type PublicOperation } from '../publicRoutes.js';
import type { Route } from '../route.js';
import { problemSchema } from '../schemas/problem.js';
import { headerComponents, problemAnswers, problemExamples, successAnswers } from './answers.js';
import { components, type Components } from './components.js';
import { parametersOf, requestBodyOf } from './requests.js';
import { routeProblems } from './routeProblems.js';
import { tagOf, tags } from './tags.js';

/** An operation with a token. */
const operation = (route: Route, collected: Components): object => {
  const requestBody = requestBodyOf(route, collected);
  const headers = route.method === 'get' ? (['X-Daybook-Position', 'Age'] as const) : [];
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [tagOf(route.path)],
    security: [{ bearer: [route.scope] }],
    parameters: parametersOf(route),
    ...(requestBody && { requestBody }),
    responses: {
      ...successAnswers(route.answers, headers, collected),
      ...problemAnswers(routeProblems(route)),
    },
  };
};

/** An operation without a token. */
const publicOperation = (described: PublicOperation, collected: Components): object => ({
  operationId: described.operationId,
  summary: described.summary,
  tags: ['service'],
  security: [],
  responses: { ...successAnswers(described.answers, [], collected), ...problemAnswers(described.problems) },
});

/** The API description (OpenAPI 3.1), made from the schemas that check requests. */
export const openApi = (routes: readonly Route[]) => {
  const collected = components();
  collected.referenced(problemSchema);
  const paths: Record<string, Record<string, object>> = {};
  for (const one of publicOperations) paths[one.path] = { get: publicOperation(one, collected) };
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route, collected) };
  const problems = [...publicOperations.flatMap(one => one.problems), ...routes.flatMap(routeProblems)];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Daybook',
      version: '1',
      summary: 'Typical days, planning and alerts for activity time series',
      description:
        'Learns the typical days of activity time series, plans which one to expect on which date, checks recent days ' +
        `and raises alerts. Scopes of tokens: ${scopes.join(', ')}.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags,
    paths,
    components: {
      schemas: collected.schemas(),
      headers: headerComponents,
      examples: problemExamples(new Set(problems)),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
};
