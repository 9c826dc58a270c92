// The search of the documentation: its index, and the order of what it finds.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { repositoryRoot } from '../helpers/repository.js';

type Section = {
  readonly title: string;
  readonly heading: string;
  readonly address: string;
  readonly text: string;
  readonly isRecord: boolean;
};
type Index = {
  readonly sectionsOf: (
    markdown: string,
    page: { readonly address: string; readonly anchors: readonly string[]; readonly isRecord: boolean },
  ) => Section[];
};
type Search = {
  readonly sectionsFor: (
    sections: readonly Section[],
    question: string,
  ) => (Section & { readonly excerpt: string })[];
};

const load = async <Module>(file: string): Promise<Module> =>
  (await import(pathToFileURL(join(repositoryRoot(), file)).href)) as Module;
const { sectionsOf } = await load<Index>('web/docs/pages.mjs');
const { sectionsFor } = await load<Search>('web/docs/search.js');

const page = (name: string, markdown: string, anchors: readonly string[], isRecord = false) =>
  sectionsOf(markdown, { address: `/docs/${name}`, anchors, isRecord });

const backup = page(
  'operations',
  '# Operation\n\nRun `it`.\n\n## Back up\n\n- Copy **people** first\n\n| File | Use |\n|---|---|\n| `a.sqlite` | the log |\n\n```sh\ncp a b\n```\n',
  ['operation', 'back-up'],
);

t.test('the index has the text of each heading with its address', async t => {
  const common = { title: 'Operation', isRecord: false };
  t.strictSame(backup, [
    { ...common, heading: 'Operation', address: '/docs/operations', text: 'Run it.' },
    {
      ...common,
      heading: 'Back up',
      address: '/docs/operations#back-up',
      text: 'Copy people first File Use a.sqlite the log cp a b',
    },
  ]);
});

t.test('all words have to be there; headings count more than text, records less', async t => {
  const other = page('api', '# API\n\nBack up the people.\n\n## Log\n\nlog log\n', ['api', 'log']);
  const record = page('adr/1', '# Back up\n\nThe log.\n', ['back-up'], true);
  const all = [...record, ...other, ...backup];
  const addresses = (question: string) => sectionsFor(all, question).map(({ address }) => address);
  t.strictSame(addresses('back UP'), ['/docs/operations#back-up', '/docs/adr/1', '/docs/api']);
  t.strictSame(addresses('back people'), ['/docs/operations#back-up', '/docs/api']);
  t.strictSame(addresses('log'), ['/docs/api#log', '/docs/operations#back-up', '/docs/adr/1']);
  for (const question of ['', ' . ', 'nothing']) t.strictSame(addresses(question), []);
  t.strictSame(addresses('a.sqlite'), ['/docs/operations#back-up'], 'a dot parts words');
});

t.test('an excerpt is around the first word, and few sections are shown', async t => {
  const long = `${'before '.repeat(30)}needle${' after'.repeat(60)}`;
  const sections = Array.from({ length: 20 }, (_, index) =>
    page(`p${index}`, `# P\n\n${long}\n`, ['p']),
  ).flat();
  const found = sectionsFor(sections, 'needle');
  t.equal(found.length, 12);
  const { excerpt = '' } = found[0] ?? {};
  t.match(excerpt, /^… before .*needle after.* …$/);
  t.ok(excerpt.length < 170, `${excerpt.length} characters`);
});
