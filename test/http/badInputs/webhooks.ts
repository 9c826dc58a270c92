import { type Case, missingCase, queryCase } from './case.js';

const receiverUrl = 'https://hooks.example.org/';

const webhookCase = (name: string, json: unknown, at: readonly string[]): Case => ({
  name: `webhooks: ${name}`,
  request: ['POST', '/v1/webhook/create', { json }],
  status: 422,
  code: 'bodyInvalid',
  at,
});

/** Webhooks: their creation, deliveries and replays. */
export const webhooksCases: readonly Case[] = [
  webhookCase('no url', {}, [' required']),
  webhookCase('an empty url', { url: '' }, ['/url minLength']),
  webhookCase('a long url', { url: `https://example.org/${'x'.repeat(2000)}` }, ['/url maxLength']),
  webhookCase('a number as url', { url: 1 }, ['/url type']),
  webhookCase('no events', { url: receiverUrl, events: [] }, ['/events minItems']),
  webhookCase('an event twice', { url: receiverUrl, events: ['alert.raised', 'alert.raised'] }, [
    '/events uniqueItems',
  ]),
  webhookCase('an unknown event', { url: receiverUrl, events: ['alert.gone'] }, ['/events/0 enum']),
  webhookCase('minCriticity 1.1', { url: receiverUrl, minCriticity: 1.1 }, ['/minCriticity maximum']),
  webhookCase('an unknown grouping', { url: receiverUrl, grouping: 'week' }, ['/grouping enum']),
  webhookCase('a digest every 7 minutes', { url: receiverUrl, digest: { everyMinutes: 7 } }, [
    '/digest/everyMinutes enum',
  ]),
  webhookCase('a digest without an interval', { url: receiverUrl, digest: { at: '24:00' } }, [
    '/digest required',
    '/digest/at pattern',
  ]),
  webhookCase('a digest as a word', { url: receiverUrl, digest: 'daily' }, ['/digest type']),
  webhookCase('quiet hours without an end', { url: receiverUrl, quietHours: { from: '7:00' } }, [
    '/quietHours required',
    '/quietHours/from pattern',
  ]),
  webhookCase(
    'quiet hours with minCriticity 2',
    { url: receiverUrl, quietHours: { from: '22:00', to: '07:00', minCriticity: 2 } },
    ['/quietHours/minCriticity maximum'],
  ),
  {
    ...webhookCase(
      'quiet hours without a length',
      { url: receiverUrl, quietHours: { from: '07:00', to: '07:00' } },
      ['/quietHours/to quietHoursEmpty'],
    ),
    code: 'webhookInvalid',
  },
  webhookCase('an unknown language', { url: receiverUrl, language: 'de' }, ['/language enum']),
  webhookCase('a language as a number', { url: receiverUrl, language: 1 }, ['/language enum']),
  {
    ...webhookCase('a language without mails', { url: receiverUrl, language: 'fr' }, [
      '/language languageWithoutMail',
    ]),
    code: 'webhookInvalid',
  },
  webhookCase('an unknown format', { url: receiverUrl, format: 'discord' }, ['/format enum']),
  webhookCase('options as a text', { url: receiverUrl, options: 'topic' }, ['/options type']),
  webhookCase('an unknown option', { url: receiverUrl, options: { channel: 'a' } }, [
    '/options/channel unknownField',
  ]),
  webhookCase('options of a wrong shape', { url: receiverUrl, options: { routingKey: 'a', priority: 6 } }, [
    '/options/routingKey pattern',
    '/options/priority maximum',
  ]),
  {
    ...webhookCase('a format without its option', { url: 'https://ntfy.example.org', format: 'ntfy' }, [
      '/options/topic optionMissing',
    ]),
    code: 'webhookInvalid',
  },
  webhookCase('an unknown field', { url: receiverUrl, secret: 'mine' }, ['/secret unknownField']),
  webhookCase('a label without a value', { url: receiverUrl, labels: { site: '' } }, [
    '/labels/site minLength',
  ]),
  ...[
    'ftp://example.org/',
    'https://anna:secret@example.org/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::ffff:10.0.0.1]/',
    'http://localhost/',
    'https://example.org:25/',
    'not an address',
  ].map((url): Case => ({
    ...webhookCase(`the url ${url}`, { url }, ['/url addressRefused']),
    code: 'webhookInvalid',
  })),
  ...(
    [
      [{ secret: 'mine' }, '/secret unknownField'],
      [{ events: null }, '/events type'],
      [{ minCriticity: null }, '/minCriticity type'],
      [{ url: null }, '/url type'],
      [{ labels: { site: 1 } }, '/labels/site type'],
      [{ digest: { everyMinutes: 7 } }, '/digest/everyMinutes enum'],
    ] as const
  ).map(([json, at]): Case => ({
    name: `webhooks: a change to ${JSON.stringify(json)}`,
    request: ['PATCH', '/v1/webhook/none', { json }],
    status: 422,
    code: 'bodyInvalid',
    at: [at],
  })),
  missingCase('GET', '/v1/webhook/none', {}, 'webhookNotFound'),
  missingCase('PATCH', '/v1/webhook/none', { json: {} }, 'webhookNotFound'),
  missingCase('GET', '/v1/webhook/none/deliveries', {}, 'webhookNotFound'),
  missingCase('POST', '/v1/webhook/none/test', {}, 'webhookNotFound'),
  missingCase('POST', '/v1/webhook/none/replay', { json: { position: '0' } }, 'webhookNotFound'),
  missingCase('DELETE', '/v1/webhook/none', {}, 'webhookNotFound'),
  ...['-1', '1.5', '01', '1e3', '9999999999999999999'].map((position): Case => ({
    name: `webhooks: a replay after ${position}`,
    request: ['POST', '/v1/webhook/none/replay', { json: { position } }],
    status: 422,
    code: 'bodyInvalid',
    at: ['/position pattern'],
  })),
  queryCase('/v1/webhook/none/deliveries?limit=0', '/query/limit minimum'),
  queryCase('/v1/webhook/none/deliveries?limit=1001', '/query/limit maximum'),
];
