// Reports of the command line in a real browser, opened as files.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { axeFaults, becomesTrue, openBrowser, openPage } from '../helpers/screens/browser.js';
import { run } from '../helpers/process.js';
import { repositoryRoot } from '../helpers/repository.js';
import { csvOf, ordinaryDays } from '../helpers/service.js';

const opened = await openBrowser();
if (typeof opened === 'string') {
  t.pass('no browser', { skip: opened });
  process.exit(0);
}
const browser: Browser = opened;
t.teardown(() => browser.close());

const dir = t.testdir({ data: {} });
const hostile = '<img src=x onerror=alert(1)><script>document.title = "run"<!--';
const logs = join(repositoryRoot(), 'test/fixtures/logs/0.1.0');
copyFileSync(join(logs, 'events.db'), join(dir, 'data', 'events.sqlite'));
const high = { date: '2024-06-12', activity: Array.from({ length: 24 }, (_, hour) => 400 + hour) };
writeFileSync(join(dir, 'reference.csv'), csvOf(ordinaryDays('2023-01-01', 365)));
writeFileSync(join(dir, 'recent.csv'), csvOf([...ordinaryDays('2024-06-01', 11), high]));

const made = async (...args: readonly string[]): Promise<void> => {
  const { code, stderr } = await run(args, {}, { cwd: dir });
  if (code !== 0 && code !== 3) throw new Error(`${args.join(' ')}: ${stderr}`);
};
const sweep = ['--models', '2..4', '--coverage', '0.95,0.99', '--calendar', 'FR', '--out', 'tune'];
await made('tune', 'reference.csv', 'recent.csv', ...sweep);
const auditLog = ['--log', 'data', '--at', '2026-11-22T12:00:00Z'];
await made('audit-report', '--source', '1', '--out', 'audit.html', ...auditLog);
await made('audit-report', '--alert', '1-20240110-1', '--out', 'dossier.html', ...auditLog);

type Options = Parameters<Browser['newContext']>[0];

/** Opens a report and expects that it complains about nothing and asks for nothing but itself. */
const visit = async (t: Test, file: string, options: Options = {}): Promise<Page> => {
  const { page, complaints, strangers } = await openPage(t, browser, options);
  const address = pathToFileURL(join(dir, file)).href;
  await page.goto(address);
  t.strictSame(complaints, [], 'nothing in the console');
  t.strictSame(strangers, [address], 'no request but for the file');
  return page;
};

const reports = [
  ['tune/report.html', ['day', 'model', 'calendar', 'lines', 'timeline']],
  ['audit.html', ['spark']],
  ['dossier.html', ['day']],
] as const;

for (const [file, kinds] of reports)
  t.test(file, async t => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await visit(t, file, { colorScheme });
      for (const kind of kinds) {
        const charts = page.locator(`.chart.${kind}`);
        t.ok((await charts.count()) > 0, `${kind} is in the report`);
        t.equal(
          await charts.count(),
          await page.locator(`.chart.${kind}.drawn svg`).count(),
          `${kind} is drawn`,
        );
      }
      t.strictSame(await axeFaults(page), [], `accessible, ${colorScheme}`);
    }
  });

t.test('a report on a phone is as wide as the screen', async t => {
  for (const [file] of reports) {
    const page = await visit(t, file, { viewport: { width: 360, height: 800 } });
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, file);
    await page.setViewportSize({ width: 900, height: 800 });
    await becomesTrue(page, 'document.querySelector(".chart:not(.spark) svg")?.clientWidth !== 328');
  }
});

t.test('tables of an audit fit on a desktop without scrolling', async t => {
  for (const file of ['audit.html', 'dossier.html']) {
    const page = await visit(t, file, { viewport: { width: 1280, height: 900 } });
    const cut = await page.evaluate(
      '[...document.querySelectorAll("table")].filter(one => one.scrollWidth > one.parentElement.clientWidth).length',
    );
    t.equal(cut, 0, file);
  }
});

t.test('pointing at a chart shows its values', async t => {
  const page = await visit(t, 'tune/report.html');
  const shown = async (chart: string, text: RegExp): Promise<void> => {
    const svg = page.locator(`.chart.${chart} svg`).first();
    await svg.scrollIntoViewIfNeeded();
    const { width, height } = (await svg.boundingBox()) ?? { width: 0, height: 0 };
    await svg.hover({ position: { x: width * 0.55, y: height * 0.55 } });
    const tip = svg.locator('[aria-label="tip"]').filter({ hasText: text });
    await tip.waitFor();
    t.match(await tip.textContent(), text, chart);
  };
  await shown('model', /12:00–13:00.*expected.*bounds/);
  await shown('day', /12:00–13:00.*actual.*expected.*usual/);
  await shown('calendar', /2023-\d\d-\d\d · /);
  await shown('lines', /\d models?: \d/);
});

t.test('without script the words of each chart are there', async t => {
  const page = await visit(t, 'tune/report.html', { javaScriptEnabled: false });
  t.equal(await page.locator('svg').count(), 0);
  await page
    .getByText(/^Mean \d.*lowest .* highest /)
    .first()
    .waitFor();
  await page.getByText(/^Wed 2024-06-12: mean 412/).waitFor();
});

t.test('a hostile name runs nothing', async t => {
  const file = `${hostile}.csv`;
  writeFileSync(join(dir, file), csvOf(ordinaryDays('2023-01-01', 60)));
  await made('tune', file, '--models', '2', '--calendar', 'none', '--out', 'hostile');
  const page = await visit(t, 'hostile/report.html');
  t.equal(await page.title(), `${hostile}: typical days and settings`);
  t.equal(await page.getByRole('heading', { level: 1 }).textContent(), hostile);
});
