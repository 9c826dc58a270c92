import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { repositoryRoot } from '../repository.js';

const ignored = new Set(['node_modules', 'build', 'data', '.git', '.tap', 'testdirs']);

/** Paths of all Markdown files of the repository, relative to the root, with `/`. */
export const markdownFiles = (): string[] => {
  const root = repositoryRoot();
  const within = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
      if (ignored.has(entry.name) || entry.name.startsWith('tap-testdir')) return [];
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return within(path);
      return entry.name.endsWith('.md') ? [relative(root, path).split(sep).join('/')] : [];
    });
  return within(root).sort();
};

/** The text of a file of the repository. */
export const textOf = (file: string): string => readFileSync(join(repositoryRoot(), file), 'utf8');

/** A fenced block: its language, and its text. */
export type Block = { readonly language: string; readonly text: string };

/** The fenced blocks of a text, in order. */
export const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));

/** Text of the section under a heading of level 2. */
export const sectionOf = (markdown: string, heading: string): string =>
  markdown.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

/** A text without its fenced blocks. */
export const proseOf = (markdown: string): string => markdown.replaceAll(/^```\w*\n[^]*?^```$/gm, '');

/** Inline code of a text. */
export const inlineCode = (markdown: string): string[] =>
  [...proseOf(markdown).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

/** Anchors of the headings of a text, as GitHub builds them. */
export const anchorsOf = (markdown: string): Set<string> => {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(markdown).matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let again = 1; anchors.has(unique); again += 1) unique = `${anchor}-${again}`;
    anchors.add(unique);
  }
  return anchors;
};
