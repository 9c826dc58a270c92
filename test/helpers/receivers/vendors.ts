import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

// Receivers that refuse what their vendor would refuse, after the public descriptions of their interfaces.

/** Notes faults of a value by its place. */
type Faults = string[];
type Check = (value: unknown, at: string, faults: Faults) => void;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text =
  (lengthMax: number, pattern = /./su): Check =>
  (value, at, faults) => {
    if (typeof value !== 'string') faults.push(`${at}: no text`);
    else if ([...value].length > lengthMax) faults.push(`${at}: ${[...value].length} characters`);
    else if (!pattern.test(value)) faults.push(`${at}: ${value}`);
  };
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value, at, faults) => {
    if (!values.includes(value)) faults.push(`${at}: ${JSON.stringify(value)}`);
  };
const web: Check = text(2000, /^https?:\/\/[^\s<>|]+$/);
const instant: Check = text(40, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

/** A list of values that each check passes. */
const listOf =
  (check: Check, min: number, max: number): Check =>
  (value, at, faults) => {
    if (!Array.isArray(value)) return void faults.push(`${at}: no list`);
    if (value.length < min || value.length > max) faults.push(`${at}: ${value.length} values`);
    value.forEach((one, index) => check(one, `${at}/${index}`, faults));
  };

/** An object with these fields and no others; a name that ends with `?` may be absent. */
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, at, faults) => {
    if (!isObject(value)) return void faults.push(`${at}: no object`);
    for (const name of Object.keys(value))
      if (!(name in checks) && !(`${name}?` in checks)) faults.push(`${at}/${name}: unknown`);
    for (const [name, check] of Object.entries(checks)) {
      const field = name.replace('?', '');
      if (field in value) check(value[field], `${at}/${field}`, faults);
      else if (!name.endsWith('?')) faults.push(`${at}/${field}: missing`);
    }
  };

/** An object whose field chooses the check. */
const byField =
  (field: string, checks: Readonly<Record<string, Check>>): Check =>
  (value, at, faults) => {
    const check = isObject(value) ? checks[String(value[field])] : undefined;
    if (check) check(value, at, faults);
    else faults.push(`${at}/${field}: unknown`);
  };

/** Angle brackets are links, dates and mentions of channels, and nothing else. */
const slackText: Check = (value, at, faults) => {
  text(3000)(value, at, faults);
  const rest = String(value).replaceAll(/<(https?:\/\/[^<>|\s]+\|[^<>]+|!date\^\d+\^[^<>|^]+\|[^<>]+)>/g, '');
  if (/[<>]|&(?!amp;|lt;|gt;)/.test(rest)) faults.push(`${at}: not escaped: ${rest}`);
};
const slackMarkdown = fields({ type: oneOf('mrkdwn'), text: slackText, 'verbatim?': oneOf(true, false) });
const slack = fields({
  text: slackText,
  blocks: listOf(
    byField('type', {
      section: fields({ type: oneOf('section'), text: slackMarkdown }),
      context: fields({ type: oneOf('context'), elements: listOf(slackMarkdown, 1, 10) }),
    }),
    1,
    50,
  ),
});

const opens = fields({ type: oneOf('Action.OpenUrl'), url: web, 'title?': text(100) });
const richText = fields({
  type: oneOf('RichTextBlock'),
  inlines: listOf(
    fields({
      type: oneOf('TextRun'),
      text: text(2000),
      'weight?': oneOf('Lighter', 'Default', 'Bolder'),
      'size?': oneOf('Small', 'Default', 'Medium', 'Large', 'ExtraLarge'),
      'fontType?': oneOf('Default', 'Monospace'),
      'isSubtle?': oneOf(true, false),
    }),
    1,
    10,
  ),
});
const teams = fields({
  type: oneOf('message'),
  attachments: listOf(
    fields({
      contentType: oneOf('application/vnd.microsoft.card.adaptive'),
      contentUrl: oneOf(null),
      content: fields({
        $schema: oneOf('http://adaptivecards.io/schemas/adaptive-card.json'),
        type: oneOf('AdaptiveCard'),
        version: oneOf('1.2', '1.3', '1.4', '1.5'),
        fallbackText: text(1000),
        'msteams?': fields({ width: oneOf('Full') }),
        body: listOf(
          byField('type', {
            RichTextBlock: richText,
            Container: fields({
              type: oneOf('Container'),
              items: listOf(richText, 1, 10),
              'selectAction?': opens,
            }),
          }),
          1,
          200,
        ),
        'actions?': listOf(opens, 1, 6),
      }),
    }),
    1,
    1,
  ),
});

const anything: Check = () => {};
const pagerdutyKeys = {
  routing_key: text(32, /^[A-Za-z0-9]{32}$/),
  event_action: oneOf('trigger', 'acknowledge', 'resolve'),
  dedup_key: text(255),
};
const pagerdutyOther = fields(pagerdutyKeys);
const pagerduty = byField('event_action', {
  trigger: fields({
    ...pagerdutyKeys,
    'client?': text(200),
    'client_url?': web,
    'links?': listOf(fields({ href: web, 'text?': text(200) }), 1, 20),
    payload: fields({
      summary: text(1024),
      source: text(1024),
      severity: oneOf('critical', 'error', 'warning', 'info'),
      'timestamp?': instant,
      'component?': text(200),
      'group?': text(200),
      'class?': text(200),
      'custom_details?': anything,
    }),
  }),
  acknowledge: pagerdutyOther,
  resolve: pagerdutyOther,
});

const ntfyBytesMax = 4096;
const ntfy: Check = (value, at, faults) => {
  fields({
    topic: text(64, /^[-_A-Za-z0-9]{1,64}$/),
    'title?': text(1000),
    'message?': text(ntfyBytesMax),
    'priority?': oneOf(1, 2, 3, 4, 5),
    'tags?': listOf(text(50, /^[a-z0-9_-]+$/), 1, 5),
    'click?': web,
  })(value, at, faults);
  const message = isObject(value) ? String(value['message']) : '';
  if (Buffer.byteLength(message) > ntfyBytesMax) faults.push(`${at}/message: too long`);
};

const labels: Check = (value, at, faults) => {
  if (!isObject(value) || Object.keys(value).length === 0) return void faults.push(`${at}: no labels`);
  for (const [name, one] of Object.entries(value)) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) faults.push(`${at}/${name}: no name of a label`);
    text(3000)(one, `${at}/${name}`, faults);
  }
};
const alert: Check = (value, at, faults) => {
  fields({
    labels,
    'annotations?': labels,
    'startsAt?': instant,
    'endsAt?': instant,
    'generatorURL?': web,
  })(value, at, faults);
  const { startsAt, endsAt } = value as { startsAt?: string; endsAt?: string };
  if (startsAt !== undefined && endsAt !== undefined && endsAt < startsAt)
    faults.push(`${at}: ends before it starts`);
};
const alertmanager = listOf(alert, 0, 10_000);

type Vendor = {
  readonly check: Check;
  readonly path: string;
  readonly bytesMax: number;
  readonly status: number;
  readonly answer: string;
};
const vendors = {
  slack: { check: slack, path: '/services/T0/B0/slack-secret', bytesMax: 100_000, status: 200, answer: 'ok' },
  teams: { check: teams, path: '/workflows/teams-secret', bytesMax: 28_000, status: 202, answer: '' },
  pagerduty: {
    ...{ check: pagerduty, path: '/v2/enqueue', bytesMax: 512_000, status: 202 },
    answer: '{"status":"success","message":"Event processed"}',
  },
  ntfy: { check: ntfy, path: '/', bytesMax: 20_000, status: 200, answer: '{"event":"message"}' },
  alertmanager: { check: alertmanager, path: '/api/v2/alerts', bytesMax: 1_000_000, status: 200, answer: '' },
} as const satisfies Readonly<Record<string, Vendor>>;

export type VendorName = keyof typeof vendors;
export const vendorNames = Object.keys(vendors) as readonly VendorName[];

/** Faults of a body for a vendor. */
export const vendorFaults = (name: VendorName, body: string): readonly string[] => {
  const { check, bytesMax } = vendors[name];
  const faults: Faults = [];
  if (Buffer.byteLength(body) > bytesMax) faults.push(`${Buffer.byteLength(body)} bytes`);
  check(JSON.parse(body), '', faults);
  return faults;
};

/** A request that a vendor accepted. */
export type VendorRequest = { readonly body: string; readonly authorization: string | undefined };

/** A vendor on this machine. Its first requests are answered 429 when `busy` is above 0. */
export const vendorReceiver = async (t: Test, name: VendorName, busy = 0) => {
  const { path, status, answer } = vendors[name];
  const accepted: VendorRequest[] = [];
  const refused: string[] = [];
  const turnedAway: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { authorization, ...headers } = request.headers;
      if (turnedAway.length < busy) {
        turnedAway.push(body);
        return response.writeHead(429, { 'Retry-After': '1' }).end();
      }
      const faults = [
        ...vendorFaults(name, body),
        ...(request.method === 'POST' && request.url === path ? [] : [`${request.method} ${request.url}`]),
        ...(headers['content-type'] === 'application/json' ? [] : [`type ${headers['content-type']}`]),
        ...Object.keys(headers).filter(header => header.startsWith('webhook-')),
      ];
      if (faults.length > 0) refused.push(...faults);
      else accepted.push({ body, authorization });
      return response.writeHead(faults.length > 0 ? 400 : status).end(answer);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { name, url: `http://127.0.0.1:${port}${path}`, port, accepted, refused, turnedAway };
};

export type VendorReceiver = Awaited<ReturnType<typeof vendorReceiver>>;
