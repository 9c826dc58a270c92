import { longName, missingCase, parameterCase, type Case } from './case.js';

const describeCase = (
  name: string,
  json: unknown,
  at: readonly string[],
  more: Partial<Case> = {},
): Case => ({
  name: `description: ${name}`,
  request: ['PATCH', '/v1/source/1', { json }],
  status: 422,
  code: 'bodyInvalid',
  at,
  ...more,
});

const describedBadly = { code: 'descriptionInvalid' };

/** Changes of the description of a source, its archive and its relearning. */
export const descriptionsCases: readonly Case[] = [
  describeCase('a list', [], [' type']),
  describeCase('an unknown field', { colour: 'red' }, ['/colour unknownField']),
  describeCase('a field that cannot change', { timeZone: 'UTC' }, ['/timeZone unknownField']),
  describeCase('no name', { name: null }, ['/name type']),
  describeCase('an empty name', { name: '' }, ['/name minLength']),
  describeCase('a name too long', { name: longName }, ['/name maxLength']),
  describeCase('a line break in the name', { name: 'a\nb' }, ['/name pattern']),
  describeCase('labels that are a list', { labels: ['site'] }, ['/labels type']),
  describeCase('an invalid key', { labels: { '1st floor': 'x' } }, ['/labels/1st floor pattern']),
  describeCase('the prototype', JSON.parse('{"labels": {"__proto__": "x"}}'), ['/labels/__proto__ pattern']),
  describeCase('a value that is a number', { labels: { floor: 2 } }, ['/labels/floor type']),
  describeCase('an empty value', { labels: { floor: '' } }, ['/labels/floor minLength']),
  describeCase(
    'more labels than a patch may have',
    {
      labels: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`l${n}`, 'x'])),
    },
    ['/labels maxProperties'],
  ),
  describeCase(
    'more labels than a source may have',
    {
      labels: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`l${n}`, 'x'])),
    },
    ['/labels labels'],
    describedBadly,
  ),
  describeCase('beyond the pole', { place: { latitude: 90.1, longitude: 0 } }, ['/place/latitude maximum']),
  describeCase('a longitude alone', { place: { longitude: 7 } }, ['/place coordinates'], describedBadly),
  describeCase('coordinates as text', { place: { latitude: '45', longitude: '4' } }, [
    '/place/latitude type',
    '/place/longitude type',
  ]),
  describeCase('a place with more', { place: { altitude: 3 } }, ['/place/altitude unknownField']),
  describeCase(
    'an interval in words',
    { expectedInterval: 'daily' },
    ['/expectedInterval interval'],
    describedBadly,
  ),
  describeCase(
    'an interval of months',
    { expectedInterval: 'P1M' },
    ['/expectedInterval interval'],
    describedBadly,
  ),
  describeCase(
    'no interval at all',
    { expectedInterval: 'P0D' },
    ['/expectedInterval interval'],
    describedBadly,
  ),
  describeCase('explained by itself', { explainedBy: [1] }, ['/explainedBy/0 explainedBy'], describedBadly),
  describeCase(
    'explained by unknown sources',
    { explainedBy: [98, 99] },
    ['/explainedBy/0 explainedBy', '/explainedBy/1 explainedBy'],
    describedBadly,
  ),
  describeCase('explained by four sources', { explainedBy: [2, 3, 4, 5] }, ['/explainedBy maxItems']),
  describeCase('explained by a name', { explainedBy: ['Oslo'] }, ['/explainedBy/0 type']),
  describeCase('explained by an id alone', { explainedBy: 2 }, ['/explainedBy type']),
  describeCase(
    'a lateness that is no duration',
    { lateness: 'soon' },
    ['/lateness lateness'],
    describedBadly,
  ),
  describeCase('an empty unit', { unit: '' }, ['/unit minLength']),
  describeCase('a unit of 17 characters', { unit: 'u'.repeat(17) }, ['/unit maxLength']),
  describeCase('a line break in the unit', { unit: 'k\nWh' }, ['/unit pattern']),
  describeCase('a feed without a field', { feed: { measurement: 'm' } }, ['/feed feed'], describedBadly),
  describeCase('a feed with an empty field', { feed: { measurement: 'm', field: '', tags: {} } }, [
    '/feed/field minLength',
  ]),
  describeCase('a feed with a number as a tag', { feed: { measurement: 'm', field: 'f', tags: { a: 1 } } }, [
    '/feed/tags/a type',
  ]),
  describeCase('a floor below 0', { minChange: { absolute: -1 } }, ['/minChange/absolute minimum']),
  describeCase('a floor above 1000 %', { minChange: { percent: 1001 } }, ['/minChange/percent maximum']),
  describeCase('a floor that calls itself proposed', { minChange: { proposed: true } }, [
    '/minChange/proposed unknownField',
  ]),
  describeCase('half a surrogate pair', { labels: { floor: '\ud83d' } }, ['/labels/floor textEncoding']),
  {
    name: 'description: as a text',
    request: ['PATCH', '/v1/source/1', { body: '{}', headers: { 'Content-Type': 'text/plain' } }],
    status: 415,
    code: 'mediaType',
  },
  {
    name: 'description: broken JSON',
    request: ['PATCH', '/v1/source/1', { body: '{', headers: { 'Content-Type': 'application/json' } }],
    status: 400,
    code: 'unparseable',
    at: ['1: jsonBroken'],
  },
  missingCase('PATCH', '/v1/source/2', { json: {} }),
  missingCase('DELETE', '/v1/source/2'),
  missingCase('POST', '/v1/source/2/restore'),
  missingCase('POST', '/v1/source/2/relearn'),
  missingCase('DELETE', '/v1/source/99'),
  parameterCase('PATCH', '/v1/source/1?allowDuplicate=yes', ['/query/allowDuplicate type'], { json: {} }),
  parameterCase('DELETE', '/v1/source/1?force=true', ['/query/force unknownField']),
  parameterCase('POST', '/v1/source/1/relearn?from=2024-01-01', ['/query/from unknownField']),
  parameterCase('POST', '/v1/source/1/restore?allowDuplicate=1', ['/query/allowDuplicate type']),
];
