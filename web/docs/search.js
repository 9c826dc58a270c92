// Searches the documentation in the browser: the index is a file of the service, loaded when the search is first used.

/** Largest number of shown sections. */
const shownMax = 12;
/** Characters of a section around the first word that is found. */
const excerptLength = 160;

const wordsOf = text => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** How well a section fits a word: its title, its heading, its text; 0 when it has no such word. */
const fitOf = ({ title, heading, text }, word) => {
  const count = text.toLowerCase().split(word).length - 1;
  const inTitle = title.toLowerCase().includes(word);
  const inHeading = heading.toLowerCase().includes(word);
  return count + (inTitle ? 10 : 0) + (inHeading ? 20 : 0);
};

const excerptOf = ({ text }, word) => {
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  const from = at < 40 ? 0 : text.indexOf(' ', at - 40) + 1;
  const part = text.slice(from, from + excerptLength);
  return `${from > 0 ? '… ' : ''}${part}${from + excerptLength < text.length ? ' …' : ''}`;
};

/**
 * Sections that have all words of a question, the best first; the order of the documents decides between equal ones.
 * @param sections `{title, heading, address, text, isRecord}` each; decision records count half
 */
export const sectionsFor = (sections, question) => {
  const words = [...new Set(wordsOf(question))];
  if (words.length === 0) return [];
  return sections
    .map(section => {
      const fits = words.map(word => fitOf(section, word));
      const isWhole = fits.every(fit => fit > 0);
      const sum = fits.reduce((total, fit) => total + Math.min(fit, 40), 0);
      return { section, fit: isWhole ? sum / (section.isRecord ? 2 : 1) : 0 };
    })
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit)
    .slice(0, shownMax)
    .map(({ section }) => ({ ...section, excerpt: excerptOf(section, words[0]) }));
};

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

/** Puts the search into the header of a page. */
const attach = index => {
  const input = element('input', { type: 'search', placeholder: 'Search', maxLength: 100 });
  input.setAttribute('aria-label', 'Search the documentation');
  const status = element('p', { className: 'status' });
  status.setAttribute('role', 'status');
  const list = element('ol');
  const results = element('div', { className: 'results', hidden: true }, status, list);
  const form = element('form', { className: 'search' }, input, results);
  form.setAttribute('role', 'search');
  let loaded;
  const sections = () => (loaded ??= import(index).then(({ default: read }) => read));
  const show = async () => {
    const question = input.value;
    results.hidden = wordsOf(question).length === 0;
    if (results.hidden) return;
    const found = sectionsFor(await sections(), question);
    if (question !== input.value) return;
    status.textContent = found.length === 0 ? 'Nothing found' : `${found.length} found`;
    list.replaceChildren(
      ...found.map(({ title, heading, address, excerpt }) => {
        const name = heading === title ? title : `${title}: ${heading}`;
        return element('li', {}, element('a', { href: address }, name), element('p', {}, excerpt));
      }),
    );
  };
  const failed = () => {
    status.textContent = 'The index could not be read';
    list.replaceChildren();
  };
  input.addEventListener('input', () => void show().catch(failed));
  input.addEventListener('focus', () => void sections().catch(() => (loaded = undefined)));
  form.addEventListener('submit', event => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  form.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return;
    input.value = '';
    results.hidden = true;
  });
  list.addEventListener('click', () => (results.hidden = true));
  document.querySelector('body > header')?.append(form);
};

const index = globalThis.document?.querySelector('meta[name=search-index]')?.content;
if (index) attach(index);
