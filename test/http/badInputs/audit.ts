import { missingCase, queryCase, type Case } from './case.js';

/** Filters of the audit trail, and moments of `asOf`. */
export const auditCases: readonly Case[] = [
  queryCase('/v1/audit/event?type=AlertsRaised', '/query/type typeUnknown'),
  queryCase('/v1/audit/event?stream=alert-1', '/query/stream streamUnknown'),
  queryCase('/v1/audit/event?stream=days-2', '/query/stream streamUnknown'),
  queryCase('/v1/audit/event?stream=audit-other', '/query/stream streamUnknown'),
  missingCase('GET', '/v1/audit/event?stream=days-1&sourceId=2'),
  queryCase('/v1/audit/event?stream=audit-default&sourceId=1', '/query/stream streamUnknown'),
  missingCase('GET', '/v1/audit/event?sourceId=2'),
  missingCase('GET', '/v1/audit/event?sourceId=99&format=csv'),
  missingCase('GET', '/v1/overview?sourceIds=1,99'),
  queryCase('/v1/alert/list?from=2023-02-02&to=2023-02-01', '/query/to order'),
  queryCase('/v1/audit/event?from=2023-02-30', '/query/from date'),
  queryCase('/v1/audit/event?to=2023-02-30T12:00Z', '/query/to date'),
  queryCase('/v1/audit/event?to=2023-02-03T25:99Z', '/query/to date'),
  queryCase('/v1/audit/event?from=2023-02-02&to=2023-02-01', '/query/to order'),
  queryCase('/v1/audit/event?from=2023-02-02T10:00:30Z&to=2023-02-02T10:00Z', '/query/to order'),
  queryCase('/v1/audit/event?order=latest', '/query/order enum'),
  queryCase('/v1/audit/event?order=newest&format=csv', '/query/order orderOfFormat'),
  queryCase(`/v1/audit/event?type=${'A'.repeat(101)}`, '/query/type maxLength'),
  queryCase('/v1/source/1?asOf=2023-02-30', '/query/asOf asOf'),
  queryCase('/v1/source/1?asOf=9998-01-01', '/query/asOf asOfFuture'),
];
