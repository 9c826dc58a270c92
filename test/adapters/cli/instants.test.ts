import t from 'tap';
import { instantOption } from '../../../adapters/cli/terminal/arguments.js';
import { expiresOf } from '../../../adapters/http/routes/tokens.js';
import { parseInstant } from '../../../domain/dates.js';

// Instants as people write them: of tokens, mutes, moments of the past and options of commands.

t.test('an instant has a date of the calendar, a time with seconds and an offset', async t => {
  t.equal(parseInstant('2028-02-29T23:30:00.25-01:00'), '2028-03-01T00:30:00.250Z');
  for (const text of [
    '2027-02-29T00:00:00Z',
    '2027-02-30T00:00:00Z',
    '2027-04-31T00:00:00+02:00',
    '2027-01-05T24:00:00Z',
    '2027-01-05T10:00:60Z',
    '2027-01-05T10:00:00',
    '2027-01-05T10:00Z',
    '2027-01-05',
    'Tue 5 Jan 2027 10:00Z',
    '9999-01-01T00:00:00Z',
  ])
    t.equal(parseInstant(text), undefined, text);
});

t.test('tokens and options of commands take no date that the calendar lacks', async t => {
  t.strictSame(expiresOf('2027-03-02T00:00:00+02:00'), { at: '2027-03-01T22:00:00.000Z' });
  t.equal(instantOption('--until', '2027-03-02T00:00:00Z'), '2027-03-02T00:00:00.000Z');
  for (const text of ['2027-02-30T00:00:00Z', 'Tue 5 Jan 2027 10:00Z']) {
    t.throws(() => expiresOf(text), { name: 'InvalidInput' }, text);
    t.throws(() => instantOption('--until', text), { name: 'SettingsError' }, text);
  }
});
