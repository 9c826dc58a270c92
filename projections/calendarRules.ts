import type { Database } from 'better-sqlite3';
import type { TenantCalendar } from '../domain/planning/calendarRules.js';
import type { AppliedRule, LabelRule } from '../domain/planning/specialDays.js';
import { sourceOf, tenantOf } from '../domain/streams.js';
import { cell, column, parsed, record, type ReadModel } from './readModel.js';

/** A rule as clients see it: of a source, or for all sources with some labels. */
export type CalendarRuleRecord = AppliedRule & {
  /** The source whose rule it is; null for a rule for labels. */
  readonly sourceId: number | null;
  readonly savedAt: string;
};

/** Largest number of rules of a list. */
export const listedRulesMax = 1000;

/** Column `source_id` of a rule for labels. */
const noSource = 0;

/** Read model of the rules that name dates. It follows the sources. */
export const calendarRulesModel: ReadModel = {
  name: 'calendarRules',
  version: 2,
  schema: `
    create table calendar_rules (
      rule_id text not null,
      -- The source whose rule it is; 0 for a rule for labels.
      source_id integer not null,
      tenant text not null,
      name text not null,
      rule text not null,
      saved_at text not null,
      primary key (rule_id, source_id)
    ) strict, without rowid;
    create index calendar_rules_of_tenant on calendar_rules (tenant, name);
    create table calendars (
      tenant text primary key,
      revision integer not null
    ) strict, without rowid;`,
  apply: db => {
    const save = db.prepare('insert or replace into calendar_rules values (?, ?, ?, ?, ?, ?)');
    const remove = db.prepare('delete from calendar_rules where rule_id = ? and source_id = ?');
    const advance = db.prepare('insert or replace into calendars values (?, ?)');
    const tenantOfSource = cell<[number], string>(db, 'select tenant from sources where id = ?');
    const saveOwn = (sourceId: number, rule: AppliedRule, at: string): void => {
      if (rule.labels) return;
      save.run(rule.ruleId, sourceId, tenantOfSource(sourceId) ?? '', rule.name, JSON.stringify(rule), at);
    };
    return ({ stream, revision, at, ...event }) => {
      switch (event.type) {
        case 'SourceCreated':
          for (const rule of event.data.calendarRules?.rules ?? []) saveOwn(sourceOf(stream), rule, at);
          break;
        case 'CalendarRuleApplied':
          saveOwn(sourceOf(stream), event.data.rule, at);
          break;
        case 'CalendarRuleWithdrawn':
          remove.run(event.data.ruleId, sourceOf(stream));
          break;
        case 'CalendarRuleSaved': {
          const { rule } = event.data;
          const tenant = tenantOf(stream) ?? '';
          save.run(rule.ruleId, noSource, tenant, rule.name, JSON.stringify(rule), at);
          advance.run(tenant, revision);
          break;
        }
        case 'CalendarRuleDeleted':
          remove.run(event.data.ruleId, noSource);
          advance.run(tenantOf(stream), revision);
          break;
      }
    };
  },
};

type Row = { readonly sourceId: number; readonly rule: string; readonly savedAt: string };

const recordOf = ({ sourceId, rule, savedAt }: Row): CalendarRuleRecord => ({
  ...parsed<AppliedRule>(rule),
  sourceId: sourceId === noSource ? null : sourceId,
  savedAt,
});

/** Queries on the rules that name dates. */
export const calendarRuleQueries = (db: Database) => {
  const isPresent = `tenant = ? and (source_id = 0 or exists
    (select 1 from sources where id = calendar_rules.source_id and archived_at is null))`;
  const columns = 'select source_id as sourceId, rule, saved_at as savedAt from calendar_rules where';
  // Rules for labels are few and concern many sources, so that none is left out.
  const listed = db.prepare<[string], { readonly ruleId: string; readonly sourceId: number }>(
    `select rule_id as ruleId, source_id as sourceId from
       (select name, source_id, rule_id from calendar_rules where ${isPresent}
        order by source_id <> 0, name, source_id, rule_id limit ${listedRulesMax})
     order by name, source_id, rule_id`,
  );
  const at = db.prepare<[string, number], Row>(`${columns} rule_id = ? and source_id = ?`);
  const ofSource = db.prepare<[string, number], Row>(
    `${columns} tenant = ? and source_id in (0, ?) order by name, source_id, rule_id`,
  );
  const one = db.prepare<[tenant: string, ruleId: string], Row>(`${columns} ${isPresent} and rule_id = ?`);
  const forLabels = column<[string], string>(
    db,
    'select rule from calendar_rules where tenant = ? and source_id = 0 order by rule_id',
  );
  const revision = cell<[string], number>(db, 'select revision from calendars where tenant = ?');
  return {
    /** Rules of a tenant by name, each read when it is taken: all for labels, and the first of sources not archived. */
    list: function* (tenant: string): Generator<CalendarRuleRecord, void> {
      for (const { ruleId, sourceId } of listed.all(tenant)) {
        const row = at.get(ruleId, sourceId);
        if (row) yield recordOf(row);
      }
    },
    /** Rules of a source and rules for labels, by name. */
    ofSource: (tenant: string, sourceId: number): CalendarRuleRecord[] =>
      ofSource.all(tenant, sourceId).map(recordOf),
    /** A rule of a tenant. */
    one: record(one, recordOf),
    /** The rules for labels of a tenant; undefined when there never was one. */
    calendarOf: (tenant: string): TenantCalendar | undefined => {
      const known = revision(tenant);
      return known === undefined
        ? undefined
        : { revision: known, rules: forLabels(tenant).map(text => parsed<LabelRule>(text)) };
    },
    /** Tenants that have or had rules for labels. */
    tenants: column<[], string>(db, 'select tenant from calendars order by tenant'),
  };
};
