// Turns the documentation into pages with a search, and puts the reference of the API (Swagger UI) next to them.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Marked } from 'marked';

/** Pages in the menu of all pages, by their names without `.md`. */
const menu = [
  ['tutorial', 'Tutorial'],
  ['get-data-in', 'Get data in'],
  ['screens', 'Screens'],
  ['tuning', 'Tuning'],
  ['auditing', 'Auditing'],
  ['privacy', 'Privacy'],
  ['incidents', 'Incidents'],
  ['webhooks', 'Webhooks'],
  ['line-protocol', 'Line protocol'],
  ['prometheus', 'Prometheus'],
  ['operations', 'Operation'],
  ['monitoring', 'Monitoring'],
  ['eventstoredb', 'EventStoreDB'],
  ['api', 'API'],
  ['data-formats', 'Data formats'],
  ['configuration', 'Configuration'],
  ['cli', 'Command line'],
  ['events', 'Events'],
  ['audit-formats', 'Audit formats'],
  ['analysis', 'Analysis'],
  ['quality', 'Quality'],
  ['benchmarks', 'Benchmarks'],
  ['releases', 'Releases'],
  ['accessibility', 'Accessibility'],
  ['data-protection', 'Data protection'],
  ['adr/README', 'Decisions'],
];

/** Longer blocks of code, such as examples of events, are left out: the text before them says what they show. */
const codeMax = 500;

/** Plain text of a token of Markdown and what is in it. */
const textOf = token => {
  if (token.type === 'table')
    return [token.header, ...token.rows].map(cells => cells.map(cell => textOf(cell)).join(' ')).join(' ');
  if (token.type === 'list') return token.items.map(textOf).join(' ');
  if (token.tokens) return token.tokens.map(textOf).join('');
  const isLeftOut = token.type === 'html' || (token.type === 'code' && token.text.length > codeMax);
  return isLeftOut ? '' : (token.text ?? '');
};

const oneLine = text => text.replaceAll(/\s+/g, ' ').trim();

/**
 * Sections of a page: its text under each heading, with the address of the heading.
 * @param anchors names of the headings in order, as the page has them
 */
export const sectionsOf = (markdown, { address, anchors, isRecord }) => {
  const sections = [];
  let title = address;
  for (const token of new Marked({ gfm: true }).lexer(markdown)) {
    if (token.type === 'heading') {
      const heading = oneLine(textOf(token));
      if (sections.length === 0) title = heading;
      const anchor = anchors[sections.length];
      const isFirst = sections.length === 0;
      sections.push({
        title,
        heading,
        address: isFirst ? address : `${address}#${anchor}`,
        text: [],
        isRecord,
      });
    } else if (token.type !== 'space') sections.at(-1)?.text.push(textOf(token));
  }
  return sections.map(section => ({ ...section, text: oneLine(section.text.join(' ')) }));
};

const escaped = text =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A page whose percent signs stay on the line of their numbers, samples aside. */
const unbroken = html =>
  html.replaceAll(/<pre[^]*?<\/pre>|(\d) %/g, (all, digit) =>
    digit === undefined ? all : `${digit}\u00a0%`,
  );

/** Anchor of a heading: its words in small letters with hyphens, as GitHub writes it. */
const anchorOf = text =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

/** Address of a page. */
const addressOf = name => `/docs/${name}`;

/**
 * Target of a link of a page; undefined for a file outside the documentation, which the service does not serve.
 * @param name page with the link, without `.md`
 */
const targetOf = (href, name, names) => {
  if (/^(https?:|#|mailto:)/.test(href)) return href;
  const [path, anchor] = href.split('#');
  const file = posix.normalize(posix.join(posix.dirname(name), path));
  const page = file === 'README.md' ? 'README' : file.replace(/\.md$/, '');
  const to = names.has(page) ? addressOf(page) : /^pictures\//.test(file) ? `/docs/${file}` : undefined;
  return to === undefined ? undefined : anchor === undefined ? to : `${to}#${anchor}`;
};

const pageOf = (name, markdown, { names, common }) => {
  const used = new Map();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const anchor = anchorOf(this.parser.parseInline(tokens, this.parser.textRenderer));
        const count = used.get(anchor) ?? 0;
        used.set(anchor, count + 1);
        return `<h${depth} id="${escaped(count === 0 ? anchor : `${anchor}-${count}`)}">${html}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const target = targetOf(href, name, names);
        return target === undefined ? html : `<a href="${escaped(target)}">${html}</a>`;
      },
      image({ href, text }) {
        return `<img src="${escaped(targetOf(href, name, names) ?? href)}" alt="${escaped(text)}">`;
      },
      // A box that scrolls sideways needs the keyboard.
      code({ text }) {
        return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
      },
      table(token) {
        const row = cells => `<tr>${cells.map(cell => this.tablecell(cell)).join('')}</tr>`;
        const body = token.rows.map(row).join('\n');
        const table = `<table><thead>${row(token.header)}</thead><tbody>${body}</tbody></table>`;
        return `<div class="wide" tabindex="0">${table}</div>\n`;
      },
    },
  });
  const title = /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? name;
  const link = ([page, text]) =>
    `<li><a href="${addressOf(page)}"${page === name ? ' aria-current="page"' : ''}>${text}</a></li>`;
  return shell(`${title} · Daybook`, [
    ...common,
    {
      body: `${header}
<div class="docs"><nav aria-label="Documentation"><ul>${menu.map(link).join('')}</ul></nav>
<main>${unbroken(marked.parse(markdown))}</main></div>`,
    },
  ]);
};

const header = `<header><a href="/">Daybook</a><a href="/docs">API reference</a><a href="/docs/README">Documentation</a></header>`;

/** A page with style sheets, scripts and a body. */
const shell = (title, parts) => {
  const icons = parts.flatMap(({ icon }) =>
    icon ? [`<link rel="icon" type="image/svg+xml" href="${icon}">`] : [],
  );
  const styles = parts.flatMap(({ style }) => (style ? [`<link rel="stylesheet" href="${style}">`] : []));
  const scripts = parts.flatMap(({ script }) => (script ? [`<script defer src="${script}"></script>`] : []));
  const search = parts.flatMap(({ search }) =>
    search
      ? [
          `<meta name="search-index" content="${search.index}">`,
          `<script type="module" src="${search.script}"></script>`,
        ]
      : [],
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
${[...icons, ...styles, ...scripts, ...search].join('\n')}
</head>
<body>
${parts.map(({ body }) => body ?? '').join('')}
</body>
</html>
`;
};

/** Writes a file, text or bytes, under a name with a hash of its content. Returns its address. */
const asset = (out, name, text) => {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const file = name.replace(/(\.\w+)$/, `-${hash}$1`);
  mkdirSync(join(out, 'assets'), { recursive: true });
  writeFileSync(join(out, 'assets', file), text);
  return `/assets/${file}`;
};

/** Anchors of the headings of a written page, in order. */
const anchorsOf = html => [...html.matchAll(/<h[1-6] id="([^"]*)">/g)].map(([, anchor]) => anchor);

/** Order of pages in the search: that of the menu, then the others by name. */
const placeOf = name => (menu.findIndex(([page]) => page === name) + menu.length + 1) % (menu.length + 1);

/** Adds the search to written pages: its index has their sections, with the addresses that the pages have. */
const writeSearch = (out, docs, pages, script) => {
  const named = [...pages].sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
  const sections = named.flatMap(([name, html]) =>
    sectionsOf(readFileSync(join(docs, `${name}.md`), 'utf8'), {
      address: addressOf(name),
      anchors: anchorsOf(html),
      isRecord: name.startsWith('adr/'),
    }),
  );
  return { index: asset(out, 'docs-index.js', `export default ${JSON.stringify(sections)};\n`), script };
};

/**
 * Writes `/docs` (the reference of the API) and `/docs/{page}` into the folder of the screens.
 * @param root folder of the project
 * @param out  folder of the built screens
 */
export const writeDocs = (root, out) => {
  const docs = join(root, 'docs');
  const read = file => readFileSync(join(root, file), 'utf8');
  const swagger = file => read(join('node_modules', 'swagger-ui-dist', file));
  const withoutMap = text => text.replace(/^(\/\/|\/\*)# sourceMappingURL=.*$/m, '');
  // The page has a main landmark of its own.
  const ownMain = '"main",{id:"operations"';
  const bundle = withoutMap(swagger('swagger-ui-bundle.js'));
  if (!bundle.includes(ownMain)) throw new Error(`swagger-ui-bundle.js: got no ${ownMain}, expected one`);
  const icon = readdirSync(join(out, 'assets')).find(file => /^icon.*\.svg$/.test(file));
  const font = asset(
    out,
    'inter.woff2',
    readFileSync(join(root, 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')),
  );
  const face = `@font-face {
  font-family: 'Inter Variable';
  font-weight: 100 900;
  font-display: swap;
  src: url('${font}') format('woff2');
}
`;
  const common = [
    { icon: icon && `/assets/${icon}` },
    { style: asset(out, 'docs.css', face + read('web/styles/tokens.css') + read('web/docs/docs.css')) },
    { script: asset(out, 'theme.js', read('web/docs/theme.js')) },
  ];
  const names = new Set(
    readdirSync(docs, { recursive: true })
      .filter(file => file.endsWith('.md'))
      .map(file => file.replaceAll('\\', '/').replace(/\.md$/, '')),
  );
  const htmlOf = (name, common) =>
    pageOf(name, readFileSync(join(docs, `${name}.md`), 'utf8'), { names, common });
  const plain = [...names].map(name => [name, htmlOf(name, common)]);
  const searchScript = asset(out, 'search.js', read('web/docs/search.js'));
  common.push({ search: writeSearch(out, docs, plain, searchScript) });
  for (const name of names) {
    const file = join(out, 'docs', `${name}.html`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, htmlOf(name, common));
  }
  cpSync(join(docs, 'pictures'), join(out, 'docs', 'pictures'), { recursive: true });
  const reference = shell('API reference · Daybook', [
    { style: asset(out, 'swagger-ui.css', withoutMap(swagger('swagger-ui.css'))) },
    ...common,
    { script: asset(out, 'swagger-ui.js', bundle.replace(ownMain, '"div",{id:"operations"')) },
    { script: asset(out, 'reference.js', read('web/docs/reference.js')) },
    {
      body: `${header}\n<main class="reference"><h1>API reference</h1><div id="reference"><p class="status">Loading …</p></div></main>`,
    },
  ]);
  writeFileSync(join(out, 'docs.html'), reference);
};
