import { fileLimits } from '../../iCalendar/calendarFile.js';
import {
  deletion,
  expectOne,
  jsonOption,
  labelsOption,
  listed,
  placeOptions,
  placeText,
  requestCommand,
  requiredOption,
  sourceOption,
  type Request,
} from '../serviceRequest.js';
import { parsedArguments } from '../terminal/arguments.js';
import { textOfFile } from '../terminal/inputFile.js';
import { dayName } from '../terminal/text.js';
import type { Sent } from '../pull/daybook.js';

const usage = `usage: daybook rule list [--source <id>] [--json]
       daybook rule preview --name <name> --source <id> --rule <rrule> [options]
       daybook rule add --name <name> --source <id> --rule <rrule> [options]
       daybook rule delete <id> [--json]

Lists the calendar rules of a service, adds one, or deletes one. A preview prints the next ten dates that the same rule
would name, and stores nothing. The service is in DAYBOOK_URL (default: http://127.0.0.1:8080), a token in
DAYBOOK_TOKEN: with the scope read for list, else planning.

  --name <name>              the name of the special days
  --source <id>              the source; with list, only the rules that apply to it
  --label <key:value>        all sources with a label instead; may be repeated for sources with all of them
  --rule <rrule>             a recurrence rule of RFC 5545, like FREQ=MONTHLY;BYMONTHDAY=-1
  --file <file.ics>          the dates of an iCalendar file instead
  --json                     prints the answer of the service

Exit codes: 0 done, 1 the service refused the request, 2 wrong usage or a refused token, 3 the service is unavailable.
`;

type Rule = Omit<Parameters<typeof placeText>[0], 'incidentId'> & {
  /** null in a preview. */
  readonly id: string | null;
  readonly name: string;
  /** null for the dates of a file. */
  readonly rule: string | null;
  readonly dateCount: number;
  readonly dates: readonly string[];
};

const rulesText = (rules: readonly Rule[]): readonly string[] =>
  listed(
    rules.map(one => [
      ...[one.id ?? '(preview)', one.name, placeText(one), String(one.dateCount)],
      ...[one.dates[0] ?? 'none', one.rule ?? 'file'],
    ]),
    'id name applies-to dates next rule',
    'no calendar rules',
  );

const list = (args: readonly string[]): Request<{ readonly rules: readonly Rule[] }> => {
  const options = { source: { type: 'string' }, ...jsonOption } as const;
  const { source, json } = parsedArguments({ args: [...args], options }).values;
  const query = source === undefined ? '' : `?sourceId=${sourceOption(source)}`;
  const sent = { method: 'GET', path: `/v1/calendar-rule/list${query}` } as const;
  return { sent, scope: 'read', json, lines: ({ rules }) => rulesText(rules) };
};

const addition =
  (isPreview: boolean) =>
  (args: readonly string[]): Request<Rule> => {
    const text = { type: 'string' } as const;
    const { values } = parsedArguments({
      args: [...args],
      options: { ...placeOptions, name: text, rule: text, file: text, ...jsonOption },
    });
    const { source, label, rule, file, json } = values;
    expectOne('--source and --label', [source, label]);
    expectOne('--rule and --file', [rule, file]);
    const name = requiredOption('--name', values.name, 'the name of the special days');
    const sourceId = source === undefined ? undefined : sourceOption(source);
    const labels = labelsOption(label);
    const query = new URLSearchParams({ preview: String(isPreview) });
    const sent = (): Sent => {
      if (file === undefined) {
        const body = JSON.stringify({ ...(sourceId === undefined ? { labels } : { sourceId }), name, rule });
        return { method: 'POST', path: `/v1/calendar-rule/create?${query}`, type: 'application/json', body };
      }
      query.set('name', name);
      if (sourceId !== undefined) query.set('sourceId', String(sourceId));
      for (const pair of label) query.append('label', pair);
      const body = textOfFile(file, fileLimits.bytesMax);
      return { method: 'POST', path: `/v1/calendar-rule/import?${query}`, type: 'text/calendar', body };
    };
    const lines = (one: Rule) => [...rulesText([one]), '', ...one.dates.map(dayName)];
    return { sent: sent(), scope: 'planning', json, lines };
  };

/** Calendar rules of a running service. */
export const rule = requestCommand('rule', usage, {
  list,
  preview: addition(true),
  add: addition(false),
  delete: deletion('/v1/calendar-rule', 'planning', 'deleted'),
});
