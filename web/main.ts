import '@fontsource-variable/inter/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import { askEarly } from './api/early.js';
import { loadMessages, preferredLanguage } from './messages/language.js';

askEarly();
// Not awaited: the program imports from this file and would wait for its end.
void Promise.all([import('./start.js'), loadMessages(preferredLanguage())]).then(([{ start }, messages]) =>
  start(messages),
);
