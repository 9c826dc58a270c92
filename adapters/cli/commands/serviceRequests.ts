import { randomUUID } from 'node:crypto';
import { expectedNames } from '../../../domain/text.js';
import { fileLimits } from '../../iCalendar/calendarFile.js';
import { SettingsError } from '../../settings/values.js';
import { accessOf, answerTo, type Sent } from '../pull/daybook.js';
import { PullFault } from '../pull/retries.js';
import {
  integerOption,
  parsedArguments,
  type Command,
  instantOption,
  labelsOption,
} from '../terminal/arguments.js';
import { textOfFile } from '../terminal/inputFiles.js';
import { plain, table, dayName } from '../terminal/text.js';

/** Repetitions of a request that may succeed later: some four seconds. */
const retries = 3;

/** A request of a command, and its answer as lines. */
type Request<Body> = {
  readonly sent: Sent;
  /** Scope that the token needs. */
  readonly scope: string;
  /** Whether the answer is printed as JSON. */
  readonly json: boolean;
  readonly lines: (body: Body) => readonly string[];
};

/** Sends a request to the service of DAYBOOK_URL and prints its answer. @returns the exit code */
const sendRequest = async <Body>(
  { sent, scope, json, lines }: Request<Body>,
  env: NodeJS.ProcessEnv,
): Promise<number> => {
  const access = accessOf(env, `the scope ${scope}`);
  const { signal } = new AbortController();
  const keyed = sent.method !== 'GET' ? { ...sent, key: randomUUID() } : sent;
  try {
    const body = (await answerTo(access, keyed, { retries, signal })) as Body;
    process.stdout.write(`${json ? JSON.stringify(body) : lines(body).join('\n')}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof PullFault)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
};

/** The request of each verb of a command. */
type Verbs = Readonly<Record<string, (args: readonly string[]) => Request<never>>>;

/** A command whose first argument is a verb, which sends one request to a running service. */
const requestCommand = (name: string, usage: string, verbs: Verbs): Command => ({
  usage,
  run: async ([verb, ...args], env) => {
    const names = Object.keys(verbs);
    const request = verb !== undefined && names.includes(verb) ? verbs[verb] : undefined;
    if (request) return sendRequest(request(args), env);
    const got = verb === undefined ? 'nothing' : `"${plain(verb)}"`;
    const expected = expectedNames(verb ?? '', names, 'a verb');
    throw new SettingsError(`got ${got}, ${expected}; see daybook ${name} --help`);
  },
});

/** The option for answers as JSON. */
const jsonOption = { json: { type: 'boolean', default: false } } as const;

/** The verb that deletes something by its id. @param done what is printed before the id */
const deletion =
  (path: string, scope: string, done: string) =>
  (args: readonly string[]): Request<{ readonly id: string }> => {
    const { values, positionals } = parsedArguments({
      args: [...args],
      allowPositionals: true,
      options: jsonOption,
    });
    const [id, ...more] = positionals;
    if (!id || more.length > 0) throw new SettingsError(`got ${positionals.length} ids, expected one`);
    const sent = { method: 'DELETE', path: `${path}/${encodeURIComponent(id)}` } as const;
    return { sent, scope, ...values, lines: answer => [`${done}: ${plain(answer.id)}`] };
  };

/** Options that say what a mute or a rule covers. */
const placeOptions = {
  source: { type: 'string' },
  label: { type: 'string', multiple: true, default: [] as string[] },
} as const;

/** The id of a source. @throws SettingsError */
const sourceOption = (text: string): number => integerOption('--source', text, 1, Number.MAX_SAFE_INTEGER);

/** Refuses other than one given value. @throws SettingsError */
const expectOne = (names: string, values: readonly unknown[]): void => {
  const count = values.filter(value => value !== undefined && String(value) !== '').length;
  if (count !== 1) throw new SettingsError(`got ${count} of ${names}, expected one of them`);
};

/** A required option. @throws SettingsError */
const requiredOption = (option: string, value: string | undefined, expected: string): string => {
  if (!value) throw new SettingsError(`${option}: got none, expected ${expected}`);
  return value;
};

/** The source, labels or incident of a mute or a rule, in words. */
const placeText = ({
  sourceId,
  labels,
  incidentId,
}: {
  readonly sourceId?: number | null;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly incidentId?: string;
}): string => {
  const pairs = Object.entries(labels ?? {}).map(pair => pair.join(':'));
  if (pairs.length > 0) return pairs.join(' ');
  return typeof sourceId === 'number' ? `source ${sourceId}` : `incident ${incidentId}`;
};

/** Rows below their titles, or a text when there are none. */
const listed = (rows: readonly (readonly string[])[], titles: string, none: string) => {
  const columns = titles.split(' ');
  if (rows.length === 0) return [none];
  return table([columns, ...rows.map(row => row.map(plain))], 'l'.repeat(columns.length));
};

const muteUsage = `usage: daybook mute list [--json]
       daybook mute create --source <id> --until <instant> --reason <text> [options]
       daybook mute end <id> [--json]

Lists the mutes that have not ended, creates one, or ends one at once. While a mute lasts, first announcements to
receivers wait; checks go on. The service is in DAYBOOK_URL (default: http://127.0.0.1:8080), a token in DAYBOOK_TOKEN:
with the scope read for list, else alert.

  --source <id>              mutes a source
  --label <key:value>        mutes all sources with a label instead; may be repeated for sources with all of them
  --incident <id>            mutes an incident instead
  --from <instant>           the beginning, like 2026-03-07T08:00:00Z or 2026-03-07T09:00:00+01:00 (default: now)
  --until <instant>          the end, at most 400 days away
  --reason <text>            the reason, which people see
  --json                     prints the answer of the service

Exit codes: 0 done, 1 the service refused the request, 2 wrong usage or a refused token, 3 the service is unavailable.
`;

type Mute = Parameters<typeof placeText>[0] &
  Readonly<Record<'id' | 'from' | 'until' | 'by' | 'reason', string>>;

const mutesText = (mutes: readonly Mute[]): readonly string[] =>
  listed(
    mutes.map(one => [one.id, placeText(one), one.from, one.until, one.by, one.reason]),
    'id muted from until by reason',
    'no mutes',
  );

const listMutes = (args: readonly string[]): Request<{ readonly mutes: readonly Mute[] }> => {
  const { values } = parsedArguments({ args: [...args], options: jsonOption });
  const sent = { method: 'GET', path: '/v1/mute/list' } as const;
  return { sent, scope: 'read', ...values, lines: ({ mutes }) => mutesText(mutes) };
};

const createMute = (args: readonly string[]): Request<Mute> => {
  const text = { type: 'string' } as const;
  const { values } = parsedArguments({
    args: [...args],
    options: { ...placeOptions, incident: text, from: text, until: text, reason: text, ...jsonOption },
  });
  const { source, label, incident, from } = values;
  expectOne('--source, --label and --incident', [source, label, incident]);
  const until = requiredOption('--until', values.until, 'the end of the mute');
  const body = JSON.stringify({
    ...(source !== undefined && { sourceId: sourceOption(source) }),
    ...(label.length > 0 && { labels: labelsOption(label) }),
    incidentId: incident,
    from: from && instantOption('--from', from),
    until: instantOption('--until', until),
    reason: requiredOption('--reason', values.reason, 'a text'),
  });
  return {
    sent: { method: 'POST', path: '/v1/mute', type: 'application/json', body },
    ...{ scope: 'alert', json: values.json },
    lines: one => mutesText([one]),
  };
};

/** Mutes of a running service. */
export const mute = requestCommand('mute', muteUsage, {
  list: listMutes,
  create: createMute,
  end: deletion('/v1/mute', 'alert', 'ended'),
});

const ruleUsage = `usage: daybook rule list [--source <id>] [--json]
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

const listRules = (args: readonly string[]): Request<{ readonly rules: readonly Rule[] }> => {
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
export const rule = requestCommand('rule', ruleUsage, {
  list: listRules,
  preview: addition(true),
  add: addition(false),
  delete: deletion('/v1/calendar-rule', 'planning', 'deleted'),
});
