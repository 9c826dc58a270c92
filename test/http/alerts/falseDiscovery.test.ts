import t from 'tap';
import type { AlertRecord } from '../../../projections/alertPages.js';
import { checkedAsk } from '../../helpers/documents/checkedAsk.js';
import { analysed, startService } from '../../helpers/service.js';
import { madeDays } from '../../helpers/data/madeDays.js';

// Lists of alerts at a false-discovery rate, and in the order of severity: a source with learned models and one with
// models of people, whose alerts have no p-values.

const { call } = await startService(t);
const ask = await checkedAsk(call);

type Page = {
  readonly alerts: readonly AlertRecord[];
  readonly nextCursor?: string;
  readonly falseDiscovery?: {
    readonly rate: number;
    readonly days: number;
    readonly discoveries: number;
    readonly criticityFrom: number | null;
  };
};
const list = (query: string): Promise<Page> => ask('GET', `/v1/alert/list?${query}`);

const days = madeDays({ count: 364 + 56, slices: 24, seed: 3 }).map(({ date, activity }) => ({
  date,
  activity,
}));
const recent = days.slice(364).map(({ date, activity }, index) => ({
  date,
  activity: activity.map((value, hour) =>
    index % 10 === 3 ? 0.3 * value : index % 10 === 7 && hour > 8 ? 1.5 * value : value,
  ),
}));
const made = async (name: string): Promise<number> => {
  const json = { name, referenceYear: 2023, days: days.slice(0, 364) };
  const { source } = await ask<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
  await analysed(call, source.id);
  return source.id;
};
const learned = await made('Learned');
const own = await made('Own');
const flat = (value: number): readonly number[] => new Array<number>(24).fill(value);
await ask('POST', `/v1/model/bulk-replace/${own}`, {
  json: {
    models: [
      { name: 'A', color: '#123456', activity: flat(5), topTolerance: flat(8), bottomTolerance: flat(1) },
    ],
  },
});
for (const sourceId of [learned, own])
  await ask('POST', '/v1/import/days', { json: { sourceId, days: recent } });

const all = (await list(`sourceId=${learned}&sort=criticity`)).alerts;

/** The discoveries by hand: p-values against the line. */
const discoveredBy = (alerts: readonly AlertRecord[], count: number, rate: number): readonly string[] => {
  const values = alerts.map(({ criticity }) => (1 - criticity) ** 4).sort((a, b) => a - b);
  const last = values.findLastIndex((value, index) => value <= ((index + 1) * rate) / count);
  return alerts.filter(({ criticity }) => (1 - criticity) ** 4 <= (values[last] ?? -1)).map(({ id }) => id);
};
const idsOf = ({ alerts }: Page): readonly string[] => alerts.map(({ id }) => id);

t.test('a list at a rate has the discoveries among the checked days', async t => {
  const page = await list(`sourceId=${learned}&sort=criticity&fdr=0.01`);
  const expected = discoveredBy(all, recent.length, 0.01);
  t.ok(expected.length > 1 && expected.length < all.length, `${expected.length} of ${all.length}`);
  t.strictSame(idsOf(page), expected);
  t.strictSame(page.falseDiscovery, {
    rate: 0.01,
    days: recent.length,
    discoveries: expected.length,
    criticityFrom: page.alerts.at(-1)?.criticity,
  });
  const byDate = await list(`sourceId=${learned}&fdr=0.01`);
  t.strictSame(idsOf(byDate), [...expected].sort(), 'in another order');
});

t.test('models of people have days and no p-values', async t => {
  t.ok((await list(`sourceId=${own}`)).alerts.length > 0);
  const ownPage = await list(`sourceId=${own}&fdr=0.1`);
  t.strictSame(ownPage, {
    alerts: [],
    falseDiscovery: { rate: 0.1, days: recent.length, discoveries: 0, criticityFrom: null },
  });
  const both = await list('sort=criticity&fdr=0.01');
  t.equal(both.falseDiscovery?.days, 2 * recent.length);
  t.strictSame(idsOf(both), discoveredBy(all, 2 * recent.length, 0.01));
});

t.test(
  'dates choose the days, states only what is shown; pages go on with what the first one chose',
  async t => {
    const to = recent[20]?.date ?? '';
    const early = await list(`sourceId=${learned}&fdr=0.1&sort=criticity&to=${to}`);
    t.equal(early.falseDiscovery?.days, 20);
    t.strictSame(
      idsOf(early),
      discoveredBy(
        all.filter(({ date }) => date < to),
        20,
        0.1,
      ),
    );
    const whole = await list(`sourceId=${learned}&fdr=0.1`);
    const first = await list(`sourceId=${learned}&fdr=0.1&limit=2`);
    const second = await list(`sourceId=${learned}&fdr=0.1&limit=2&cursor=${first.nextCursor}`);
    t.strictSame([...idsOf(first), ...idsOf(second)], idsOf(whole).slice(0, 4));
    t.notOk('falseDiscovery' in second);
    await ask('POST', `/v1/alert/${idsOf(whole)[0]}/acknowledge`);
    const open = await list(`sourceId=${learned}&fdr=0.1&state=open`);
    t.strictSame(idsOf(open), idsOf(whole).slice(1));
    t.strictSame(open.falseDiscovery, whole.falseDiscovery);
  },
);

t.test('alerts and incidents are sorted by severity', async t => {
  const severities = (await list(`sourceId=${learned}&sort=severity`)).alerts.map(
    ({ severity = -1 }) => severity,
  );
  t.ok(
    severities.every(severity => severity > 0 && severity < 1),
    severities.join(' '),
  );
  t.strictSame(
    severities,
    [...severities].sort((a, b) => b - a),
  );
  t.not(severities[0], severities.at(-1));
  const { incidents } = await ask<{
    incidents: readonly { readonly worstSeverity: number; readonly alertIds: readonly string[] }[];
  }>('GET', '/v1/incident/list?sort=severity');
  const { alerts } = await list('limit=500');
  const severityOf = new Map(alerts.map(({ id, severity = -1 }) => [id, severity]));
  for (const { worstSeverity, alertIds } of incidents)
    t.equal(worstSeverity, Math.max(...alertIds.map(id => severityOf.get(id) ?? -1)));
  const worst = incidents.map(({ worstSeverity }) => worstSeverity);
  t.strictSame(
    worst,
    [...worst].sort((a, b) => b - a),
  );
});
