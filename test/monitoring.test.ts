// The dashboard and the alert rules name metrics and labels that the service has.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { promMetrics } from '../adapters/monitoring/promMetrics.js';
import type { DomainEvent } from '../domain/events.js';
import { noMetrics, queues } from '../application/ports/monitoring.js';
import { sectionOf, textOf } from './helpers/documents/markdown.js';
import { samplesOf, type Sample } from './helpers/documents/openMetrics.js';
import { repositoryRoot } from './helpers/repository.js';
import { exactList } from './helpers/exactList.js';

const rulesFile = 'docs/monitoring/alert-rules.yml';

type Rules = {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
};
type Dashboard = {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly type: string;
    readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
};

const rules = (parse(textOf(rulesFile)) as Rules).groups.flatMap(group => group.rules);
const { panels } = JSON.parse(textOf('docs/monitoring/grafana-dashboard.json')) as Dashboard;

/** Samples of a service that has done one of everything. */
const samples = async (): Promise<readonly Sample[]> => {
  const metrics = promMetrics();
  metrics.answered({ method: 'GET', route: '/health', status: 200, seconds: 0.01 });
  for (const queue of queues) metrics.watchQueue(queue, () => 0);
  metrics.watch({
    lag: async () => ({ events: 0, seconds: 0 }),
    backlog: () => 0,
    parked: () => 0,
    parkedSources: () => 0,
    differences: () => 0,
  });
  return samplesOf(await metrics.text());
};

/** Name of the metric of a sample. */
const familyOf = ({ name }: Sample): string => name.replace(/_(bucket|sum|count)$/, '');

/** Labels that Prometheus adds. */
const added = ['job', 'instance'];
/** Words of expressions that are no metric. */
const words =
  /^(sum|by|rate|increase|topk|max|min_over_time|histogram_quantile|unless|on|up|le|label_values)$/;

/** Faults of an expression in words. */
const faultsOf = (expr: string, known: readonly Sample[]): string[] => {
  const labelsOf = new Map<string, Map<string, Set<string>>>();
  for (const { name, labels } of known) {
    const values = labelsOf.get(name) ?? new Map<string, Set<string>>();
    for (const [label, value] of Object.entries(labels))
      values.set(label, (values.get(label) ?? new Set()).add(value));
    labelsOf.set(name, values);
  }
  const faults: string[] = [];
  for (const [, name = '', matchers = ''] of expr.matchAll(/\b([a-z]\w*_\w+)\b(?:\{([^}]*)\})?/g)) {
    if (words.test(name)) continue;
    const labels = labelsOf.get(name);
    if (!labels) faults.push(`no metric ${name}`);
    for (const [, label = '', value = ''] of matchers.matchAll(/(\w+)(?:=~?|!=)"([^"]*)"/g)) {
      if (added.includes(label)) continue;
      const values = labels?.get(label);
      if (!values) faults.push(`${name} has no label ${label}`);
      else if (label !== 'status')
        for (const one of value.split('|'))
          if (!values.has(one)) faults.push(`${name} has no ${label} ${one}`);
    }
  }
  return faults;
};

t.test('metrics of alert rules and of the dashboard exist', async t => {
  const known = await samples();
  t.strictSame(faultsOf('rate(daybook_nothing_total{a="b"}[5m])', known), [
    'no metric daybook_nothing_total',
    'daybook_nothing_total has no label a',
  ]);
  t.strictSame(faultsOf('daybook_imports_total{kind="all"}', known), [
    'daybook_imports_total has no kind all',
  ]);
  const named = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ];
  t.ok(named.length > 30, 'expressions were read');
  for (const [name, expr] of named) t.strictSame(faultsOf(expr, known), [], name);
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length, 'ids of panels differ');
});

t.test('the dashboard has a panel for each metric', async t => {
  const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join(' ');
  const families = new Set((await samples()).map(familyOf).filter(name => name.startsWith('daybook_')));
  t.strictSame(
    [...families].filter(name => !shown.includes(name)),
    [],
  );
});

t.test('panels of the dashboard do not overlap', async t => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  );
  t.equal(new Set(cells).size, cells.length);
  t.ok(
    panels.every(({ gridPos: { x, w } }) => x + w <= 24),
    'within the 24 columns',
  );
});

t.test('monitoring.md has each metric and each alert', async t => {
  const page = textOf('docs/monitoring.md');
  const table = sectionOf(page, 'Metrics');
  const listed = [...table.matchAll(/^\| `(daybook_\w+)`/gm)].map(([, name = '']) => name);
  const families = (await samples()).map(familyOf).filter(name => name.startsWith('daybook_'));
  t.strictSame(listed.sort(), [...new Set(families)].sort());
  const alerts = [...sectionOf(page, 'Alerts').matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
  t.strictSame(alerts.sort(), rules.map(({ alert }) => alert).sort());
  for (const { alert, labels, annotations } of rules)
    t.match([labels['severity'], annotations['summary']], exactList(/^(critical|warning)$/, /\S/), alert);
});

const promtool = ((): string | undefined => {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return 'promtool';
  } catch {
    return undefined;
  }
})();

const noPromtool = promtool === undefined && 'promtool is not installed';

t.test('Prometheus accepts the rules', { skip: noPromtool }, async t => {
  const checked = execFileSync('promtool', ['check', 'rules', join(repositoryRoot(), rulesFile)], {
    encoding: 'utf8',
  });
  t.match(checked, new RegExp(`SUCCESS: ${rules.length} rules`));
});

t.test('the alert of missing imports counts days and points', { skip: noPromtool }, t => {
  const increase = (values: string, kind: string) => [
    { series: `daybook_imports_total{kind="reference"}`, values: '0+1x120' },
    { series: `daybook_imports_total{kind="${kind}"}`, values },
  ];
  const name = 'DaybookNoImports';
  const summary = rules.find(({ alert }) => alert === name)?.annotations['summary'];
  const fires = { exp_labels: { severity: 'warning' }, exp_annotations: { summary } };
  const expectation = (isFiring: boolean) => [
    { eval_time: '30h', alertname: name, exp_alerts: isFiring ? [fires] : [] },
  ];
  const tests = ['recent', 'points'].flatMap(kind =>
    [true, false].map(isFiring => ({
      interval: '30m',
      input_series: increase(isFiring ? '3x120' : '3+1x120', kind),
      alert_rule_test: expectation(isFiring),
    })),
  );
  const place = t.testdir({
    'test.json': JSON.stringify({
      ...{ rule_files: [join(repositoryRoot(), rulesFile)], evaluation_interval: '30m' },
      tests,
    }),
  });
  const tested = execFileSync('promtool', ['test', 'rules', join(place, 'test.json')], { encoding: 'utf8' });
  t.match(tested, /SUCCESS/);
  t.end();
});

t.test('points that are stored are an import', async t => {
  const metrics = promMetrics();
  const stored = JSON.parse(textOf('test/fixtures/events/PointsImported.v1.json')) as DomainEvent;
  metrics.appended({ outcome: 'stored', seconds: 0, events: [stored] });
  const imports = samplesOf(await metrics.text()).filter(({ name }) => name === 'daybook_imports_total');
  t.strictSame(
    imports.map(({ labels, value }) => [labels['kind'], value]),
    [
      ['reference', 0],
      ['recent', 0],
      ['points', 1],
    ],
  );
});

t.test('a lag that cannot be read is left out', async t => {
  const metrics = promMetrics();
  const failing = async (): Promise<never> => {
    throw new Error('no log');
  };
  metrics.watch({
    lag: failing,
    backlog: () => 3,
    parked: () => 1,
    parkedSources: () => 0,
    differences: () => 0,
  });
  const read = samplesOf(await metrics.text());
  t.notOk(read.some(({ name }) => name.startsWith('daybook_projection_lag')));
  t.equal(read.find(({ name }) => name === 'daybook_process_manager_backlog_events')?.value, 3);
});

t.test('readers at the same time share one reading of the log', async t => {
  let count = 0;
  const metrics = promMetrics();
  const lag = async () => ({ events: (count += 1), seconds: 0 });
  metrics.watch({ lag, backlog: () => 0, parked: () => 0, parkedSources: () => 0, differences: () => 0 });
  const texts = await Promise.all([metrics.text(), metrics.text(), metrics.text()]);
  t.equal(count, 1);
  t.equal(new Set(texts).size, 1);
  await metrics.text();
  t.equal(count, 2);
});

t.test('metrics that nothing reads record nothing', async t => {
  t.doesNotThrow(() => noMetrics.appended({ outcome: 'stored', seconds: 0, events: [] }));
});
