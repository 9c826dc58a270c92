/** Writes shares (0–1) as people of a locale do: `97.5 %`, on one line in every language. */
export const percentFormat = (locale: string, decimalsMax = 0): ((share: number) => string) => {
  const { format } = new Intl.NumberFormat(locale, { maximumFractionDigits: decimalsMax });
  return share => `${format(100 * share).replace('-', '\u2212')}\u00a0%`;
};

/** A text of the service: percent signs stay on the line of their numbers, and "au-dessus" is not divided. */
export const unbroken = (text: string): string =>
  text.replaceAll(/(\d) %/g, '$1\u00a0%').replaceAll(/\b(au)-(dessus|dessous)\b/gi, '$1-\u2060$2');
