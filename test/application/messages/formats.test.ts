import { deepStrictEqual as exactly } from 'node:assert/strict';
import t from 'tap';
import {
  announcementOf,
  type AnnouncedEvent,
  type EventFacts,
  fitting,
} from '../../../application/messages/formats/format.js';
import { mailTexts, type MailTexts } from '../../../application/messages/messageWords.js';
import { formatAddressFault, formatted, shownAddress } from '../../../application/messages/dispatch.js';
import type { MailLanguage } from '../../../domain/webhooks/webhookTarget.js';
import fc from '../../helpers/property.js';
import { exactList } from '../../helpers/exactList.js';
import { vendorFaults, vendorNames, type VendorName } from '../../helpers/receivers/vendors.js';

// Bodies of messages for each format, and what receivers that are written after their vendors say about them.

const alert = {
  id: '1-20240110-1',
  date: '2024-01-10',
  kind: 'activity' as const,
  criticity: 0.9,
  sentence: '90 % under the usual Wednesday',
  sentences: { fr: '90 % au-dessous du mercredi habituel' },
  loss: '1.5 times its allowance',
  losses: { fr: '1,5 fois sa marge' },
};
const event = (change: string, more: Partial<typeof alert> = {}, name = 'Hall'): AnnouncedEvent => ({
  type: change === 'raised' ? 'alert.raised' : 'alert.updated',
  time: '2024-01-11T06:00:12.402Z',
  subject: alert.id,
  position: '23',
  data: {
    source: { id: 1, name, labels: { site: 'Lyon' } },
    change,
    alert: { ...alert, ...more },
    link: 'https://daybook.example.org/alerts/1-20240110-1',
  },
});
/** Versions of ICU differ in a comma. */
const day = `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 10))}. Loss: 1.5 times its allowance; criticity 90 %.`;
const secrets = { routingKey: '0123456789abcdef0123456789abcdef', topic: 'halls', token: 'tk_secret' };
const optionsOf: Readonly<Record<VendorName, Partial<typeof secrets> & { readonly priority?: string }>> = {
  slack: {},
  teams: {},
  pagerduty: { routingKey: secrets.routingKey },
  ntfy: { topic: secrets.topic, token: secrets.token },
  alertmanager: {},
};
const made = (
  name: VendorName,
  events: readonly [AnnouncedEvent, ...AnnouncedEvent[]],
  facts: EventFacts = { blocks: '▁▂▇█·' },
  language: MailLanguage = 'en',
) => {
  const [first, ...others] = events.map(one => announcementOf(one, language, facts));
  if (!first) throw new Error('no event');
  return formatted(name, [first, ...others], { language, options: optionsOf[name] });
};
const json = (...given: Parameters<typeof made>): Record<string, unknown> =>
  JSON.parse(made(...given).body) as Record<string, unknown>;

t.test('a raised alert in each format', async t => {
  t.strictSame(json('slack', [event('raised')]), {
    text: 'Hall: 90 % under the usual Wednesday',
    blocks: [
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          verbatim: true,
          text: `*Hall: 90 % under the usual Wednesday*\n${day}\n\`▁▂▇█·\``,
        },
      },
      {
        type: 'context',
        elements: [
          {
            type: 'mrkdwn',
            verbatim: true,
            text: 'Hall · <!date^1704952812^{date_num} {time_secs}|2024-01-11T06:00:12.402Z> · <https://daybook.example.org/alerts/1-20240110-1|Open in Daybook>',
          },
        ],
      },
    ],
  });
  const { content } = (json('teams', [event('raised')])['attachments'] as { content: object }[])[0] ?? {};
  t.strictSame(content, {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: 'Hall: 90 % under the usual Wednesday',
    msteams: { width: 'Full' },
    body: [
      {
        type: 'RichTextBlock',
        inlines: [{ type: 'TextRun', text: 'Hall: 90 % under the usual Wednesday', weight: 'Bolder' }],
      },
      {
        type: 'RichTextBlock',
        inlines: [{ type: 'TextRun', text: day }],
      },
      { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: '▁▂▇█·', fontType: 'Monospace' }] },
      {
        type: 'RichTextBlock',
        inlines: [
          { type: 'TextRun', text: 'Hall · 2024-01-11T06:00:12.402Z', isSubtle: true, size: 'Small' },
        ],
      },
    ],
    actions: [
      {
        type: 'Action.OpenUrl',
        url: 'https://daybook.example.org/alerts/1-20240110-1',
        title: 'Open in Daybook',
      },
    ],
  });
  t.strictSame(json('pagerduty', [event('raised')]), {
    routing_key: secrets.routingKey,
    event_action: 'trigger',
    dedup_key: alert.id,
    client: 'Daybook',
    client_url: 'https://daybook.example.org/alerts/1-20240110-1',
    links: [{ href: 'https://daybook.example.org/alerts/1-20240110-1', text: 'Open in Daybook' }],
    payload: {
      summary: 'Hall: 90 % under the usual Wednesday',
      source: 'Hall',
      severity: 'critical',
      timestamp: '2024-01-11T06:00:12.402Z',
      class: 'activity',
      custom_details: {
        sentence: alert.sentence,
        detail: day,
        criticity: 0.9,
        sources: ['Hall'],
        day: '▁▂▇█·',
      },
    },
  });
  const { body, authorization } = made('ntfy', [event('raised')]);
  t.equal(authorization, 'Bearer tk_secret');
  t.strictSame(JSON.parse(body), {
    topic: 'halls',
    title: 'Hall: 90 % under the usual Wednesday',
    message: `${day}\n▁▂▇█·\nHall · 2024-01-11T06:00:12.402Z`,
    priority: 5,
    tags: ['rotating_light'],
    click: 'https://daybook.example.org/alerts/1-20240110-1',
  });
  t.strictSame(json('alertmanager', [event('raised')]), [
    {
      labels: {
        site: 'Lyon',
        alertname: 'DaybookActivity',
        source: 'Hall',
        source_id: '1',
        severity: 'critical',
        daybook_id: alert.id,
      },
      annotations: {
        summary: 'Hall: 90 % under the usual Wednesday',
        description: `90 % under the usual Wednesday\n${day}\n▁▂▇█·`,
      },
      startsAt: '2024-01-11T06:00:12.402Z',
      generatorURL: 'https://daybook.example.org/alerts/1-20240110-1',
    },
  ]);
});

t.test('changes of an alert are phases of its incident', async t => {
  const actions = ['raised', 'acknowledged', 'reopened', 'resolved', 'invalidated', 'ended'].map(change => {
    const { event_action: action, payload } = json('pagerduty', [event(change)]);
    return [change, action, payload !== undefined];
  });
  t.strictSame(actions, [
    ['raised', 'trigger', true],
    ['acknowledged', 'acknowledge', false],
    ['reopened', 'trigger', true],
    ['resolved', 'resolve', false],
    ['invalidated', 'resolve', false],
    ['ended', 'resolve', false],
  ]);
  const announced = {
    at: '2024-01-11T05:00:00.000Z',
    kind: 'drift',
    sourceId: 9,
    source: 'Old hall',
    labels: { site: 'Metz' },
    criticity: 0.6,
  };
  const later = event('resolved');
  const [over] = json('alertmanager', [later], { announced }) as unknown as [object];
  t.match(
    over,
    {
      labels: {
        alertname: 'DaybookDrift',
        source: 'Old hall',
        source_id: '9',
        site: 'Metz',
        severity: 'info',
        daybook_id: alert.id,
      },
      startsAt: '2024-01-11T05:00:00.000Z',
      endsAt: '2024-01-11T06:00:12.402Z',
    },
    'the labels, which identify it, are those of its first message',
  );
  const future = { ...announced, at: '2024-01-12T00:00:00.000Z' };
  const [late] = json('alertmanager', [later], { announced: future }) as unknown as [object];
  t.match(
    late,
    { startsAt: future.at, endsAt: future.at },
    'no end before the start after a clock was set back',
  );
});

t.test('the priority of ntfy follows the severity, or is the one of the receiver', async t => {
  const priorities = (
    [
      ['raised', 0.5],
      ['raised', 0.8],
      ['raised', 0.9],
      ['resolved', 0.9],
    ] as const
  ).map(([change, criticity]) => json('ntfy', [event(change, { criticity })])['priority']);
  t.strictSame(priorities, [3, 4, 5, 2]);
  const announcement = announcementOf(event('raised'));
  const { body } = formatted('ntfy', [announcement], { options: { topic: 'a', priority: '1' } });
  t.equal((JSON.parse(body) as { priority: number }).priority, 1);
});

t.test('messages in French', async t => {
  const texts = vendorNames.map(name => made(name, [event('acknowledged')], {}, 'fr').body);
  for (const text of texts.filter(one => !one.includes('routing_key')))
    t.match(text, /Prise en compte\u00a0: Hall\u00a0: 90\u00a0% au-dessous du mercredi/);
});

const analysis = (type: string, detail = 'too few days'): AnnouncedEvent => ({
  type,
  time: '2024-01-11T06:00:12.402Z',
  data: { source: { id: 7, name: 'Hall' }, analysis: { detail } } as AnnouncedEvent['data'],
});

const incidentAbout = (change: string, more: object = {}): AnnouncedEvent => {
  const incident = {
    kind: 'gap',
    criticity: 0.8,
    sentence: 'too few data; 3 alerts from 8 to 10 January',
    sentences: { fr: 'trop peu de données\u00a0; 3 alertes du 8 au 10 janvier' },
    loss: '3 times its allowance',
    losses: { fr: '3 fois sa marge' },
    ...{ since: '2024-01-08', until: '2024-01-10' },
    sources: [{ name: 'Hall' }, { name: 'Gate' }, { name: 'Tower' }],
    ...more,
  };
  const one = event('raised');
  return { ...one, type: 'incident.updated', subject: 'i-7', data: { ...one.data, change, incident } };
};

t.test('the first day of a month has its French form', async t => {
  const alert = { date: '2024-01-01', criticity: 0.9 } as Parameters<MailTexts['detail']>[0];
  t.match(mailTexts('fr').detail(alert), /^lundi 1er janvier 2024/i);
  t.match(mailTexts('en').detail(alert), /^Monday,? 1 January 2024/);
  t.match(mailTexts('fr').detail({ ...alert, date: '2024-01-11' }), /^jeudi 11 janvier 2024/i);
});

t.test('an incident has its own key, sentence and sources', async t => {
  t.match(json('pagerduty', [incidentAbout('opened')]), {
    event_action: 'trigger',
    dedup_key: 'i-7',
    payload: {
      summary: 'Hall (+2): too few data; 3 alerts from 8 to 10 January',
      source: 'Hall, Gate, Tower',
      severity: 'warning',
      class: 'gap',
      custom_details: { detail: / 2024\. Loss of the worst day: 3 times its allowance; criticity 80 %\.$/ },
    },
  });
  const actions = ['opened', 'acknowledged', 'reopened', 'resolved', 'ended', 'invalidated', 'merged'].map(
    change => json('pagerduty', [incidentAbout(change)])['event_action'],
  );
  t.strictSame(actions, [
    ...['trigger', 'acknowledge', 'trigger', 'resolve', 'resolve', 'resolve', 'resolve'],
  ]);
  t.match(made('slack', [incidentAbout('opened')], {}, 'fr').body, /trop peu de données/);
  for (const name of vendorNames)
    t.strictSame(vendorFaults(name, made(name, [incidentAbout('opened')]).body), [], name);
});

t.test('an incident that was merged reads like no new alert, and is not the subject of a digest', async t => {
  t.equal(
    json('ntfy', [incidentAbout('merged')])['title'],
    'In another incident now: Hall (+2): too few data; 3 alerts from 8 to 10 January',
  );
  t.match(
    json('ntfy', [incidentAbout('merged')], {}, 'fr')['title'],
    /^Désormais dans un autre incident\u00a0: Hall \(\+2\)/,
  );
  const merged = incidentAbout('merged', { criticity: 1 });
  t.equal(
    json('ntfy', [merged, event('raised')])['title'],
    '2 messages: Hall: 90 % under the usual Wednesday',
  );
});

t.test(
  'an incident names its first sources and says how many more there are, also of those not given',
  async t => {
    const sources = Array.from({ length: 100 }, (_, n) => ({ name: `Hall ${n + 1}` }));
    const large = incidentAbout('opened', { sources, sourceCount: 250 });
    t.match(json('ntfy', [large])['title'], /^Hall \(\+249\): /);
    for (const name of vendorNames.filter(one => one !== 'alertmanager')) {
      const { body } = made(name, [large]);
      const shown = /Hall 1\b(.*?)… and (\d+) more/.exec(body);
      const named = shown?.[1]?.match(/Hall \d+/g)?.length ?? 0;
      t.ok(named > 20, `${name} names ${named} more`);
      t.equal(named + 1 + Number(shown?.[2]), 250, name);
    }
  },
);

t.test('messages about any incident and any failure are below the limits of each receiver', async t => {
  const character = fc.constantFrom('a', 'é', '漢', '🏛', '&', '<', '"', '\\');
  const name = fc.string({ unit: character, minLength: 1, maxLength: 100 });
  const names = fc.oneof(
    fc.array(name, { minLength: 1, maxLength: 100 }),
    character.map(one => Array.from({ length: 100 }, () => one.repeat(100))),
  );
  const language = fc.constantFrom<MailLanguage>('en', 'fr');
  const change = fc.constantFrom('opened', 'changed', 'acknowledged', 'merged');
  const facts = { blocks: '█'.repeat(48) };
  fc.assert(
    fc.property(
      names,
      fc.oneof(
        name,
        character.map(one => one.repeat(100)),
      ),
      change,
      language,
      (all, text, change, language) => {
        const [sentence, loss] = [text.repeat(5), text];
        const sources = all.map(name => ({ name }));
        const more = { sources, sourceCount: all.length + 50, sentence, sentences: { fr: sentence }, loss };
        const { data, ...one } = incidentAbout(change, more);
        const source = { id: 1, name: all[0] ?? '', labels: {} };
        const about = { ...one, data: { ...data, source } };
        const failed = analysis('analysis.failed', text.repeat(20));
        for (const vendor of vendorNames)
          for (const event of [about, failed])
            exactly(vendorFaults(vendor, made(vendor, [event], facts, language).body), [], vendor);
      },
    ),
  );
  t.pass();
});

const trial: AnnouncedEvent = {
  type: 'webhook.test',
  time: '2024-01-11T06:00:12.402Z',
  data: { webhookId: 'w' },
};

t.test('analyses and trials', async t => {
  t.match(json('pagerduty', [analysis('analysis.failed')]), {
    event_action: 'trigger',
    dedup_key: 'analysis-7',
    payload: { summary: 'Hall: the analysis failed', severity: 'warning' },
  });
  t.match(json('pagerduty', [analysis('analysis.completed')]), {
    event_action: 'resolve',
    dedup_key: 'analysis-7',
  });
  t.match(json('pagerduty', [trial]), {
    event_action: 'trigger',
    dedup_key: 'test-w',
    payload: { source: 'Daybook', severity: 'info' },
  });
  t.match(json('ntfy', [trial]), {
    tags: exactList('test_tube'),
    priority: 3,
    message: /Messages to this receiver/,
  });
  t.match(
    json('alertmanager', [trial]),
    exactList({ labels: { alertname: 'DaybookTest', severity: 'info' } }),
  );
});

const hostile = [
  'plain',
  '<!channel> & <https://evil.example|click>',
  '[click](https://evil.example) **b** _i_ `c`',
  '"\\\u2028\u202e\u0000\n\t',
  'é'.repeat(100),
];
const oddLabels = { 'a.b': '1', 'a-b': '2', a_b: '3', severity: 'none', alertname: 'x', source_id: 'y' };

t.test('strict receivers take every message: hostile names, digests, long texts', async t => {
  for (const name of vendorNames) {
    const facts = { blocks: '█'.repeat(48) };
    for (const [index, source] of hostile.entries())
      for (const change of ['raised', 'acknowledged', 'reopened', 'resolved', 'invalidated', 'ended']) {
        const sentence = 'x & y < z > 0 '.repeat(100);
        const { body } = made(name, [event(change, { sentence }, source)], facts);
        t.strictSame(vendorFaults(name, body), [], `${name}: ${change} of name ${index}`);
      }
    for (const one of [analysis('analysis.failed'), analysis('analysis.completed'), trial])
      t.strictSame(vendorFaults(name, made(name, [one]).body), [], `${name}: ${one.type}`);
    if (name === 'pagerduty') continue;
    for (const count of [2, 5, 100]) {
      const many = Array.from({ length: count }, (_, n) =>
        event('raised', { id: `${n}` }, `${hostile[n % 5]} ${n}`),
      );
      const { body } = made(name, many as [AnnouncedEvent, ...AnnouncedEvent[]], facts);
      t.strictSame(vendorFaults(name, body), [], `${name}: a digest of ${count}`);
      t.match(body, new RegExp(`${count} messages: plain|alertname`));
      t.match(
        body,
        new RegExp(count === 100 ? '99|and \\d+ more' : `plain|${count - 1}`),
        'none is dropped silently',
      );
    }
  }
});

t.test('a list has the loss of each alert, in the language of its receiver', async t => {
  const { loss: _, losses: __, ...old } = event('raised').data.alert as typeof alert;
  const unknown = event('raised', {}, 'Gate');
  const events = [event('raised'), { ...unknown, data: { ...unknown.data, alert: old } }] as const;
  t.equal(
    json('ntfy', events)['message'],
    '• Hall: 90 % under the usual Wednesday (loss: 1.5 times its allowance)\n• Gate: 90 % under the usual Wednesday',
  );
  for (const vendor of ['slack', 'teams'] as const) {
    const { body } = made(vendor, events, {}, 'fr');
    t.match(
      body,
      /Hall\u00a0: 90\u00a0% au-dessous du mercredi habituel \(perte\u00a0: 1,5 fois sa marge\)/,
      vendor,
    );
    t.match(
      body,
      /Gate\u00a0: 90\u00a0% au-dessous du mercredi habituel"|Gate\u00a0: 90\u00a0% au-dessous du mercredi habituel>/,
    );
  }
});

t.test('the heading of a digest is its most urgent message, not one that is over', async t => {
  const title = (...events: Parameters<typeof event>[]): unknown =>
    json('ntfy', events.map(one => event(...one)) as [AnnouncedEvent, ...AnnouncedEvent[]])['title'];
  t.equal(
    title(['raised'], ['raised', { criticity: 0.95 }, 'Gate'], ['resolved', { criticity: 1 }, 'Court']),
    '3 messages: Gate: 90 % under the usual Wednesday',
  );
  t.equal(
    title(['resolved'], ['resolved', { criticity: 1 }, 'Gate']),
    '2 messages: Resolved: Hall: 90 % under the usual Wednesday',
  );
});

t.test('digests of short, middle and long names are below the limit of each receiver', async t => {
  for (const vendor of vendorNames.filter(one => one !== 'pagerduty'))
    for (const name of ['H', 'é'.repeat(25), '🗓️'.repeat(100)]) {
      const [first, ...others] = Array.from({ length: 100 }, () => event('raised', {}, name));
      if (!first) throw new Error('no event');
      t.strictSame(vendorFaults(vendor, made(vendor, [first, ...others]).body), [], `${vendor}: ${name}`);
    }
});

t.test('a digest has a line for each message, with its link', async t => {
  const digest = [event('raised'), event('resolved', {}, 'Gate')] as const;
  const link = 'https://daybook.example.org/alerts/1-20240110-1';
  const slackText = JSON.stringify(json('slack', [...digest])['blocks']);
  t.match(slackText, `• <${link}|Hall: 90 % under the usual Wednesday (loss: 1.5 times its allowance)>`);
  t.match(
    slackText,
    `• <${link}|Resolved: Gate: 90 % under the usual Wednesday (loss: 1.5 times its allowance)>`,
  );
  t.match(json('ntfy', [...digest]), {
    title: '2 messages: Hall: 90 % under the usual Wednesday',
    message:
      /^• Hall: 90 % under the usual Wednesday \(loss: .+\)\n• Resolved: Gate: 90 % under the usual Wednesday \(loss: .+\)$/,
  });
  t.match(
    JSON.stringify(json('teams', [...digest])),
    `"selectAction":{"type":"Action.OpenUrl","url":"${link}"}`,
  );
});

t.test('labels of a source have names that Prometheus takes, each once', async t => {
  const facts = {
    announced: {
      at: '2024-01-11T05:00:00.000Z',
      kind: 'activity',
      sourceId: 1,
      source: 'Hall',
      labels: oddLabels,
      criticity: 0.9,
    },
  };
  const [{ labels }] = json('alertmanager', [event('raised')], facts) as unknown as [{ labels: object }];
  t.strictSame(labels, {
    a_b: '2',
    a_b_: '1',
    a_b__: '3',
    alertname_: 'x',
    severity_: 'none',
    source_id_: 'y',
    alertname: 'DaybookActivity',
    source: 'Hall',
    source_id: '1',
    severity: 'critical',
    daybook_id: alert.id,
  });
});

t.test('no text of a label steers a display', async t => {
  const announced = {
    at: '2024-01-11T05:00:00.000Z',
    kind: 'gap',
    sourceId: 1,
    source: 'Hall',
    criticity: 0.9,
  };
  const facts = { announced: { ...announced, labels: { site: 'a\u202eb' } } };
  t.match(made('alertmanager', [event('raised')], facts).body, '"site":"a\ufffdb"');
});

t.test('addresses that cannot belong to a receiver of a format', async t => {
  for (const [format, url, isFine] of [
    ['slack', 'https://hooks.slack.com/services/T0/B0/x', true],
    ['slack', 'https://hooks.slack.com/', false],
    ['teams', 'https://prod.westeurope.logic.azure.com/…', false],
    ['pagerduty', 'https://events.eu.pagerduty.com/v2/enqueue', true],
    ['pagerduty', 'https://events.pagerduty.com/', false],
    ['ntfy', 'https://ntfy.sh', true],
    ['ntfy', 'https://ntfy.sh/halls', false],
    ['ntfy', 'https://ntfy.sh/?auth=x', false],
    ['alertmanager', 'http://alerts.lan:9093/prefix/api/v2/alerts', true],
    ['alertmanager', 'http://alerts.lan:9093/', false],
    ['cloudevents', 'https://example.org/', true],
  ] as const)
    t.equal(formatAddressFault(format, url) === undefined, isFine, `${format} ${url}`);
  t.equal(shownAddress('slack', 'https://hooks.slack.com/services/T0/B0/x'), 'https://hooks.slack.com/…');
  t.equal(shownAddress('slack', 'erased'), 'erased');
  t.equal(shownAddress('ntfy', 'https://ntfy.sh'), 'https://ntfy.sh');
});

t.test('a list may fill its space; when it does not fit, the last line has room', async t => {
  const more = (count: number): string => `+${count}`;
  const size = ({ length }: string): number => length;
  const shown = (max: number) => fitting(['aaa', 'bbb', 'ccc'], max, more, { sizeOf: size });
  t.strictSame(shown(9), ['aaa', 'bbb', 'ccc']);
  t.strictSame(shown(8), ['aaa', 'bbb', '+1']);
  t.strictSame(shown(7), ['aaa', '+2']);
  t.strictSame(shown(4), ['+3']);
  t.strictSame(fitting(['ää', 'b'], 7, more), ['ää', 'b'], 'bytes, and one for the end of the line');
  t.strictSame(fitting(['ää', 'b'], 6, more), ['+2']);
  const beyond = (max: number) => fitting(['aaa', 'bbb'], max, more, { sizeOf: size, beyond: 100 });
  t.strictSame(beyond(10), ['aaa', 'bbb', '+100'], 'lines that are not given are counted');
  t.strictSame(beyond(9), ['aaa', '+101']);
});
