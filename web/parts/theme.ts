export type Theme = 'auto' | 'light' | 'dark';

const storageKey = 'daybook.theme';

export const preferredTheme = (): Theme => {
  const theme = localStorage.getItem(storageKey);
  return theme === 'light' || theme === 'dark' ? theme : 'auto';
};

/** The style sheet reads the attribute; without it the system decides. */
export const applyTheme = (theme: Theme): void => {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};

export const keepTheme = (theme: Theme): void => {
  localStorage.setItem(storageKey, theme);
  applyTheme(theme);
};
