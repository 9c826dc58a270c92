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
import { instantOption, parsedArguments } from '../terminal/arguments.js';

const usage = `usage: daybook mute list [--json]
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

const list = (args: readonly string[]): Request<{ readonly mutes: readonly Mute[] }> => {
  const { values } = parsedArguments({ args: [...args], options: jsonOption });
  const sent = { method: 'GET', path: '/v1/mute/list' } as const;
  return { sent, scope: 'read', ...values, lines: ({ mutes }) => mutesText(mutes) };
};

const create = (args: readonly string[]): Request<Mute> => {
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
export const mute = requestCommand('mute', usage, {
  list,
  create,
  end: deletion('/v1/mute', 'alert', 'ended'),
});
