import { missingCase, parameterCase, queryCase, type Case } from './case.js';
import type { Given } from './given.js';

const transitionCase = (verb: string, state: string, id: string | undefined): Case => ({
  name: `alerts: ${verb} ${state}`,
  request: ['POST', `/v1/alert/${id}/${verb}`, verb === 'resolve' ? { json: { verdict: 'anomaly' } } : {}],
  status: 409,
  code: 'alertTransition',
});

const manyCase = (name: string, verb: string, json: object, at: readonly string[]): Case => ({
  name: `several alerts: ${name}`,
  request: ['POST', `/v1/alert/${verb}`, { json }],
  status: 422,
  code: 'bodyInvalid',
  at,
});

/** Transitions and lists of alerts and incidents. */
export const alertsCases = ({ open, acknowledged, resolved, invalidated }: Given): readonly Case[] => {
  const resolveCase = (name: string, json: unknown, at: readonly string[]): Case => ({
    name: `alerts: resolve with ${name}`,
    request: ['POST', `/v1/alert/${open}/resolve`, { json }],
    status: 422,
    code: 'bodyInvalid',
    at,
  });

  const incident = `/v1/incident/inc-${acknowledged}`;
  const acceptCase = (name: string, json: unknown, at: readonly string[]): Case => ({
    name: `incidents: accept with ${name}`,
    request: ['POST', `${incident}/accept`, { json }],
    status: 422,
    code: 'bodyInvalid',
    at,
  });

  return [
    acceptCase('a date that no calendar has', { from: '2023-02-30' }, ['/from format']),
    acceptCase('a number as date', { from: 20230301 }, ['/from type']),
    acceptCase('no source', { sourceIds: [] }, ['/sourceIds minItems']),
    acceptCase('a source twice', { sourceIds: [1, 1] }, ['/sourceIds uniqueItems']),
    acceptCase('a text as source', { sourceIds: ['1'] }, ['/sourceIds/0 type']),
    acceptCase('source 0', { sourceIds: [0] }, ['/sourceIds/0 minimum']),
    acceptCase('too many sources', { sourceIds: Array.from({ length: 101 }, (_, n) => n + 1) }, [
      '/sourceIds maxItems',
    ]),
    acceptCase('an extra field', { until: '2023-03-01' }, ['/until unknownField']),
    acceptCase('a list', [], [' type']),
    missingCase('POST', '/v1/incident/inc-1-20230301-9/accept', { json: {} }, 'incidentNotFound'),
    missingCase('POST', '/v1/incident/x/accept', { json: {} }, 'incidentNotFound'),
    missingCase('POST', '/v1/incident/inc-1-20230301-9/withdraw-acceptance', {}, 'incidentNotFound'),
    parameterCase('POST', `${incident}/withdraw-acceptance?from=2023-03-01`, ['/query/from unknownField']),
    missingCase('GET', '/v1/alert/1-20230301-9', {}, 'alertNotFound'),
    missingCase('GET', '/v1/alert/x', {}, 'alertNotFound'),
    parameterCase('GET', '/v1/alert/list?fdr=0', ['/query/fdr minimum']),
    parameterCase('GET', '/v1/alert/list?fdr=1', ['/query/fdr maximum']),
    parameterCase('GET', '/v1/alert/list?fdr=some', ['/query/fdr type']),
    missingCase('GET', '/v1/alert/2-20230301-1/history', {}, 'alertNotFound'),
    missingCase('POST', '/v1/alert/1-20230301-9/acknowledge', {}, 'alertNotFound'),
    missingCase('POST', '/v1/alert/1-20230301-9/reopen', {}, 'alertNotFound'),
    missingCase('POST', '/v1/alert/1-20230301-9/resolve', { json: { verdict: 'anomaly' } }, 'alertNotFound'),
    transitionCase('reopen', 'open', open),
    transitionCase('acknowledge', 'acknowledged', acknowledged),
    transitionCase('acknowledge', 'resolved', resolved),
    transitionCase('resolve', 'resolved', resolved),
    transitionCase('acknowledge', 'invalidated', invalidated),
    transitionCase('resolve', 'invalidated', invalidated),
    transitionCase('reopen', 'invalidated', invalidated),
    resolveCase('an unknown verdict', { verdict: 'false' }, ['/verdict enum']),
    resolveCase('no verdict', { comment: 'x' }, [' required']),
    resolveCase('a long comment', { verdict: 'anomaly', comment: 'c'.repeat(2001) }, ['/comment maxLength']),
    resolveCase('a number as comment', { verdict: 'anomaly', comment: 1 }, ['/comment type']),
    resolveCase('an extra field', { verdict: 'anomaly', by: 'me' }, ['/by unknownField']),
    manyCase('no alert', 'acknowledge', { ids: [] }, ['/ids minItems']),
    manyCase('too many', 'acknowledge', { ids: Array.from({ length: 501 }, (_, n) => `1-20230301-${n}`) }, [
      '/ids maxItems',
    ]),
    manyCase('an alert twice', 'acknowledge', { ids: ['1-20230301-1', '1-20230301-1'] }, [
      '/ids uniqueItems',
    ]),
    manyCase('a number as id', 'acknowledge', { ids: [1] }, ['/ids/0 type']),
    manyCase('a long id', 'acknowledge', { ids: ['1'.repeat(41)] }, ['/ids/0 maxLength']),
    manyCase('a verdict for acknowledging', 'acknowledge', { ids: ['1-20230301-1'], verdict: 'anomaly' }, [
      '/verdict unknownField',
    ]),
    manyCase('no ids', 'acknowledge', {}, [' required']),
    manyCase('no verdict for many', 'resolve', { ids: ['1-20230301-1'] }, [' required']),
    manyCase('an unknown verdict for many', 'resolve', { ids: ['1-20230301-1'], verdict: 'false' }, [
      '/verdict enum',
    ]),
    queryCase('/v1/incident/list?foo=1', '/query/foo unknownField'),
    queryCase('/v1/incident/list?cursor=1-20230301-1', '/query/cursor cursor'),
    queryCase('/v1/incident/list?cursor=1-2023', '/query/cursor cursor'),
    queryCase('/v1/incident/list?sort=criticity&cursor=1-20230301', '/query/cursor cursor'),
    queryCase('/v1/incident/list?sort=criticity&cursor=1-20230301~-1', '/query/cursor cursor'),
    queryCase('/v1/incident/list?kind=storm', '/query/kind enum'),
    queryCase('/v1/incident/list?limit=0', '/query/limit minimum'),
    missingCase('GET', '/v1/incident/list?sourceId=99'),
    queryCase('/v1/alert/list?cursor=nonsense', '/query/cursor cursor'),
    queryCase('/v1/alert/list?limit=0', '/query/limit minimum'),
    queryCase('/v1/alert/list?limit=501', '/query/limit maximum'),
    queryCase('/v1/alert/list?limit=ten', '/query/limit type'),
    queryCase('/v1/alert/list?state=closed', '/query/state enum'),
    queryCase('/v1/alert/list?state=', '/query/state enum'),
    queryCase('/v1/alert/list?kind=storm', '/query/kind enum'),
    queryCase('/v1/alert/list?kind=gap,', '/query/kind enum'),
    queryCase(`/v1/alert/list?kind=${'gap,'.repeat(40)}gap`, '/query/kind maxLength'),
    queryCase('/v1/alert/list?sort=name', '/query/sort enum'),
    queryCase('/v1/alert/list?order=up', '/query/order enum'),
    queryCase('/v1/alert/list?cursor=1-20230301-1~0.5', '/query/cursor cursor'),
    queryCase('/v1/alert/list?sort=raised&cursor=1-20230301-1', '/query/cursor cursor'),
    queryCase('/v1/alert/list?sort=raised&cursor=1-20230301-1~0.5', '/query/cursor cursor'),
    queryCase('/v1/alert/list?sort=criticity&cursor=1-20230301-1~NaN', '/query/cursor cursor'),
    queryCase('/v1/alert/list?sort=criticity&cursor=1-20230301-1~0.5~0.5', '/query/cursor cursor'),
    queryCase('/v1/alert/list?from=2023-02-30', '/query/from format'),
    queryCase('/v1/alert/list?year=12345', '/query/year maximum'),
    queryCase('/v1/alert/list?sourceId=1&sourceId=2', '/query/sourceId type'),
  ];
};
