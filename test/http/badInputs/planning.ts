import { longName, queryCase, type Case } from './case.js';
import { type Sent } from '../../helpers/service.js';
import type { Given } from './given.js';

const planCase = (
  name: string,
  path: string,
  sent: Sent,
  status: number,
  code: string,
  at?: string[],
): Case => ({
  name: `planning: ${name}`,
  request: ['PUT', path, sent],
  status,
  code,
  ...(at ? { at } : {}),
});

const ruleCase = (name: string, json: object, at: readonly string[]): Case => ({
  name: `calendar rules: ${name}`,
  request: ['POST', '/v1/calendar-rule/create', { json }],
  status: 422,
  code: 'bodyInvalid',
  at,
});

/** Overrides of the planning, special days and their rules. */
export const planningCases = async ({
  ownModels,
  theirModels,
  tokenFor,
}: Given): Promise<readonly Case[]> => [
  planCase(
    'a date that no calendar has',
    '/v1/planning/1/2023-02-30',
    { json: { modelId: 1 } },
    422,
    'parametersInvalid',
    ['/path/date format'],
  ),
  planCase('no date', '/v1/planning/1/tomorrow', { json: { modelId: 1 } }, 422, 'parametersInvalid', [
    '/path/date format',
  ]),
  {
    ...planCase('DELETE of a date that no calendar has', '', {}, 422, 'parametersInvalid', [
      '/path/date format',
    ]),
    request: ['DELETE', '/v1/planning/1/2023-13-01'],
  },
  ruleCase('no name', { sourceId: 1, rule: 'FREQ=WEEKLY;BYDAY=SU' }, [' required']),
  ruleCase('no rule', { sourceId: 1, name: 'a' }, [' required']),
  ruleCase('a long rule', { sourceId: 1, name: 'a', rule: `FREQ=${'D'.repeat(600)}` }, ['/rule maxLength']),
  ruleCase('a rule that is a number', { sourceId: 1, name: 'a', rule: 1 }, ['/rule type']),
  ruleCase('dates of its own', { sourceId: 1, name: 'a', rule: 'FREQ=DAILY', dates: [] }, [
    '/dates unknownField',
  ]),
  queryCase('/v1/calendar-rule/list?sourceId=0', '/query/sourceId minimum'),
  planCase(
    'a model of another source',
    '/v1/planning/1/2023-01-01',
    { json: { modelId: 1 + Math.max(...[...ownModels.models, ...theirModels.models].map(({ id }) => id)) } },
    422,
    'modelNotFound',
    ['/modelId modelUnknown'],
  ),
  planCase('modelId 0', '/v1/planning/1/2023-01-01', { json: { modelId: 0 } }, 422, 'bodyInvalid', [
    '/modelId minimum',
  ]),
  planCase('modelId null', '/v1/planning/1/2023-01-01', { json: { modelId: null } }, 422, 'bodyInvalid', [
    '/modelId type',
  ]),
  planCase(
    'an extra field',
    '/v1/planning/1/2023-01-01',
    { json: { modelId: 1, reason: 'x' } },
    422,
    'bodyInvalid',
    ['/reason unknownField'],
  ),
  planCase(
    'no body',
    '/v1/planning/1/2023-01-01',
    { headers: { 'Content-Type': 'application/json' } },
    400,
    'unparseable',
    ['1: jsonBroken'],
  ),
  ...(
    [
      ['no name', {}, ' required'],
      ['an empty name', { name: '' }, '/name minLength'],
      ['a name of 101 characters', { name: longName.slice(0, 101) }, '/name maxLength'],
      ['a control character', { name: 'a\u0007' }, '/name pattern'],
      ['a number', { name: 1 }, '/name type'],
      ['another field', { name: 'Fair', modelId: 1 }, '/modelId unknownField'],
    ] as const
  ).map(([name, json, at]) =>
    planCase(`special day, ${name}`, '/v1/calendar/1/2023-01-01', { json }, 422, 'bodyInvalid', [at]),
  ),
  planCase(
    'special day, no date',
    '/v1/calendar/1/today',
    { json: { name: 'Fair' } },
    422,
    'parametersInvalid',
    ['/path/date format'],
  ),
  {
    name: 'special day, without the scope',
    request: [
      'PUT',
      '/v1/calendar/1/2023-01-01',
      { token: await tokenFor({ scopes: ['read', 'model'] }), json: { name: 'Fair' } },
    ],
    status: 403,
    code: 'scopeMissing',
  },
  queryCase('/v1/calendar/list/1/0', '/path/year minimum'),
  planCase('no Content-Type', '/v1/planning/1/2023-01-01', {}, 415, 'mediaType'),
  planCase('`null`', '/v1/planning/1/2023-01-01', { json: null }, 422, 'bodyInvalid', [' type']),
];
