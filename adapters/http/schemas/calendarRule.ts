import Type from '../typebox.js';
import { namePattern } from '../../../domain/text.js';
import { nameLengthMax } from '../../../domain/planning/models.js';
import { ruleDatesMax } from '../../../domain/planning/calendarRules.js';
import { ruleLengthMax } from '../../iCalendar/recurrence.js';
import { listedRulesMax } from '../../../projections/calendarRules.js';
import {
  dateSchema,
  instantSchema,
  nullable,
  sourceIdSchema,
  strict,
  text,
  flag,
  object,
  named,
  integer,
} from './common.js';
import { givenLabelsSchema, labelParameter } from './description.js';

/** Number of coming dates in an answer. */
export const nextDatesMax = 10;

const ruleNameSchema = text('Name of the special days: days of one name are planned alike.', 'Month end', {
  minLength: 1,
  maxLength: nameLengthMax,
  pattern: namePattern,
});
const ruleTextSchema = Type.String({
  minLength: 1,
  // With a start before it.
  maxLength: ruleLengthMax + 40,
  description:
    'Recurrence rule of RFC 5545 for dates, perhaps after "DTSTART:20260105" and a space, from which it counts.',
  examples: ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1'],
});
const ruleIdSchema = Type.String({ maxLength: 40, examples: ['8a1f0c52-3b7d-5e1c-9f60-2d4b6a8c0e13'] });
const previewSchema = Type.Optional(flag('Answers the dates and stores nothing.', false));

export const newRuleSchema = Type.Object(
  {
    sourceId: Type.Optional(sourceIdSchema),
    labels: Type.Optional(givenLabelsSchema),
    name: ruleNameSchema,
    rule: ruleTextSchema,
  },
  {
    ...strict,
    title: 'NewCalendarRule',
    description: 'Either sourceId, or labels that a source must have, all of them.',
    examples: [{ sourceId: 12, name: 'Month end', rule: 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1' }],
  },
);

export const newRuleQuery = object({ preview: previewSchema });

export const importedRuleQuery = object({
  name: ruleNameSchema,
  sourceId: Type.Optional(sourceIdSchema),
  label: labelParameter('A label `key:value` that a source must have, instead of sourceId; may be repeated.'),
  preview: previewSchema,
});

export const ruleListQuery = object({ sourceId: Type.Optional(sourceIdSchema) });
export const ruleParams = object({ rule_id: ruleIdSchema });

export const calendarRuleSchema = named('CalendarRule', {
  id: nullable(ruleIdSchema, { description: 'null in a preview.' }),
  name: ruleNameSchema,
  sourceId: nullable(sourceIdSchema, { description: 'The source; null for a rule for labels.' }),
  labels: nullable(givenLabelsSchema, { examples: [null] }),
  rule: nullable(ruleTextSchema, { description: 'The rule; null for the dates of a file.' }),
  from: dateSchema,
  to: dateSchema,
  dateCount: integer('Number of dates from `from` to `to`, past ones included.', 108, {
    minimum: 1,
    maximum: ruleDatesMax,
  }),
  earlierDates: Type.Optional(
    integer(
      'In the answer to a file: the number of dates before its first one, which stay from the file before; absent without any.',
      32,
      { minimum: 1, maximum: ruleDatesMax },
    ),
  ),
  dates: Type.Array(dateSchema, {
    maxItems: nextDatesMax,
    description: `The next dates from today on, at most ${nextDatesMax}.`,
    examples: [['2026-03-31', '2026-04-30', '2026-05-29']],
  }),
  savedAt: nullable(instantSchema, { description: 'null in a preview.' }),
});
export const calendarRulesSchema = named('CalendarRules', {
  rules: Type.Array(calendarRuleSchema, { maxItems: listedRulesMax }),
});
export const deletedRuleSchema = named('DeletedCalendarRule', { id: ruleIdSchema });
