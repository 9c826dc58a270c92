// What the README shows of the service is what the service answers. (What it shows of the demo: demo.test.ts.)
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { launchService, run } from './helpers/process.js';
import { repositoryRoot } from './helpers/repository.js';

const readme = readFileSync(join(repositoryRoot(), 'README.md'), 'utf8');
/** The code blocks of a section, as they stand: their language, and their text. */
const blocksOf = (section: string): readonly (readonly [language: string, text: string])[] => {
  const [, text = ''] = readme.split(`\n## ${section}\n`);
  const own = text.split('\n## ')[0] ?? '';
  return [...own.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = '', code = '']) => [
    language,
    code,
  ]);
};

t.test('the first requests are answered as the README says', async t => {
  const blocks = blocksOf('First request');
  const [, create = '', created = '', send = '', sent = ''] = blocks.map(([, text]) => text);
  t.strictSame(
    blocks.map(([language]) => language),
    ['sh', 'sh', 'json', 'sh', 'json'],
  );
  const folder = t.testdir();
  const env = { DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'warn' };
  const service = launchService(env);
  const address = await service.ready;
  const token = (await run(['token'], env)).stdout.trim();
  /** The request that a command of curl makes, and its answer. */
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
  /** Without what differs from one time to the next: ids, instants, and whether an analysis has begun. */
  const lasting = (answer: unknown): unknown =>
    JSON.parse(
      JSON.stringify(answer)
        .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
        .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'instant')
        .replaceAll('"status":"running"', '"status":"pending"'),
    );

  const [makeFile = '', curl = ''] = create.split('TOKEN=$(npx daybook token)\n');
  execFileSync('sh', ['-c', makeFile], { cwd: folder });
  t.strictSame(lasting(await answerTo(curl)), lasting(JSON.parse(created)));
  t.strictSame(lasting(await answerTo(send)), lasting(JSON.parse(sent)));
  t.same(await service.end('SIGTERM'), { code: 0, signal: null });
});
