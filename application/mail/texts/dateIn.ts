/** Returns a function that writes a date `YYYY-MM-DD` with its weekday in the words of a language. */
export const dateIn = (locale: string): ((date: string) => string) => {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' });
  return date => format.format(new Date(`${date}T00:00:00Z`));
};
