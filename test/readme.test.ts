// Runs the commands of README and docs, and compares the answers. (Names in the docs: docs.test.ts. Output of the
// demo: demo.test.ts.)
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { blocksOf, sectionOf, textOf, type Block } from './helpers/documents/markdown.js';
import { launchService, mainFile, run } from './helpers/process.js';

const exec = promisify(execFile);
const readme = textOf('README.md');
const firstRequest = blocksOf(sectionOf(readme, 'First request'));
const shellText = (blocks: readonly Block[]): string[] =>
  blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);

/** A service in a folder of the test, started like in the README. */
const serviceIn = async (t: Test) => {
  const folder = t.testdir();
  const env = { DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'warn' };
  const service = launchService(env);
  t.teardown(() => service.end('SIGTERM'));
  return { folder, env, service, address: await service.ready };
};

/** The answer without ids, instants and the status of an analysis, which vary. */
const lasting = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer)
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
      .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'instant')
      .replaceAll('"status":"running"', '"status":"pending"'),
  );

/**
 * Waits until source 1 has models; an import before that can answer 202.
 * Needs ADDRESS and TOKEN in the environment of the shell.
 */
const analysed = `ADDRESS="$ADDRESS" TOKEN="$TOKEN" "${process.execPath}" -e '
  const { ADDRESS, TOKEN } = process.env;
  const look = async () => {
    const answer = await fetch(ADDRESS + "/v1/source/1", { headers: { Authorization: "Bearer " + TOKEN } });
    if ((await answer.json()).analysis.status !== "completed") setTimeout(look, 100);
  };
  look();'`;

t.test('README: the first requests have the documented answers', async t => {
  const [start, create = '', send = '', shown = ''] = firstRequest.map(({ text }) => text);
  t.strictSame(
    firstRequest.map(({ language }) => language),
    ['sh', 'sh', 'sh', 'json'],
  );
  t.equal(start, 'npm start\n');
  const { folder, env, address } = await serviceIn(t);
  const token = (await run(['token'], env)).stdout.trim();
  /** Sends the request of a curl command; returns its answer. */
  const answerTo = async (command: string): Promise<unknown> => {
    const [, path = ''] = /"?http:\/\/127\.0\.0\.1:8080([^" ]+)"?/.exec(command) ?? [];
    const [, type = ''] = /-H 'Content-Type: ([^']+)'/.exec(command) ?? [];
    const [, file, text] = /--data-binary @(\S+)|-d '([^']+)'/.exec(command) ?? [];
    const answer = await fetch(address + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
      body: file === undefined ? (text ?? '') : readFileSync(join(folder, file)),
    });
    return answer.json();
  };

  const [makeFile = '', curl = ''] = create.split('TOKEN=$(npx daybook token)\n');
  await exec('sh', ['-c', makeFile], { cwd: folder });
  t.match(await answerTo(curl), { source: { id: 1, name: 'Library' } });
  await exec('sh', ['-e', '-c', analysed], { env: { ...process.env, ADDRESS: address, TOKEN: token } });
  // The README shows a part of the answer: compare the shown values.
  t.match(await answerTo(send), JSON.parse(shown) as object);
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const skip = hasCurl ? false : 'curl is not installed';

/**
 * Runs shell blocks in one session, with the compiled `daybook` and the address of the service.
 * @returns the output of each block
 */
const session = async (
  blocks: readonly string[],
  { folder, address }: { readonly folder: string; readonly address: string },
): Promise<string[]> => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const npx = join(bin, 'npx');
  writeFileSync(
    npx,
    `#!/bin/sh\n[ "$1" = daybook ] || exit 127\nshift\nexec "${process.execPath}" "${mainFile}" "$@"\n`,
  );
  chmodSync(npx, 0o755);
  const mark = '\n=== the next block ===\n';
  const script = blocks
    .map(
      text =>
        `${text}${text.includes('create-source') ? analysed : ''}\nprintf '${mark.replaceAll('\n', '\\n')}'`,
    )
    .join('\n');
  // Without the instrumentation that tap adds to children, each command starts in a third of the time.
  const bare = `unset NODE_OPTIONS\n${script}`;
  const { stdout } = await exec('sh', ['-e', '-c', bare.replaceAll('http://127.0.0.1:8080', address)], {
    cwd: folder,
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, LOG_LEVEL: 'warn', ADDRESS: address },
    maxBuffer: 1e8,
  });
  const printed = stdout.split(mark).slice(0, -1);
  for (const [at, text] of printed.entries())
    if (text.includes('urn:daybook:problem:')) throw new Error(`${blocks[at]}\nwas answered ${text}`);
  return printed;
};

t.test('tutorial: all commands run', { skip }, async t => {
  const all = blocksOf(textOf('docs/tutorial.md'));
  t.equal(all[0]?.text, 'npm start\n');
  const blocks = all.slice(1);
  const started = await serviceIn(t);
  const printed = await session(shellText(blocks), started);
  let compared = 0;
  blocks.forEach(({ language, text }, at) => {
    if (language !== 'json') return;
    const before = shellText(blocks.slice(0, at)).length - 1;
    t.strictSame(lasting(JSON.parse(printed[before] ?? '')), lasting(JSON.parse(text)), `answer ${before}`);
    compared += 1;
  });
  t.equal(compared, 2);
  t.match(printed.at(-3), /"state":"resolved"[^]*"origin":"manual"/);
  t.match(printed.at(-2), /"type":"AlertResolved"/);
  t.match(printed.at(-1), /Verdict: proved\. No problem was found\./);
});

t.test('auditing: all commands of the page run', { skip }, async t => {
  const [report = '', routine = '', ...others] = shellText(blocksOf(textOf('docs/auditing.md'))).filter(
    text => !text.includes('…'),
  );
  t.match(report, /audit-report/);
  // The page begins with the auditor; the routine, which comes later, creates the auditor's files.
  const audit = [routine, report, ...others];
  const sample = shellText(firstRequest).slice(1);
  const printed = await session([...sample, ...audit], await serviceIn(t));
  const all = printed.join('\n');
  t.equal(printed.length, sample.length + audit.length);
  t.equal(all.match(/Verdict: proved\. No problem was found\./g)?.length, 2);
  t.match(all, /report\.html/);
  t.ok(audit.length > 3);
});
