/** Writes shares (0–1) as people of a locale do: `97.5 %`, on one line in every language. */
export const percentFormat = (locale: string, decimalsMax = 0): ((share: number) => string) => {
  const { format } = new Intl.NumberFormat(locale, { maximumFractionDigits: decimalsMax });
  return share => `${format(100 * share).replace('-', '\u2212')}\u00a0%`;
};

/** Digits behind the decimal mark of an axis at most. */
const decimalsMax = 12;

/**
 * Writes numbers of an axis in few letters, as people of a locale do: `1.2K`. In a narrow range neighbours would have
 * one text: then they have the decimals of their step.
 */
export const compactFormat = (locale: string): ((value: number, ticks?: readonly number[]) => string) => {
  const { format } = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 });
  return (value, ticks = []) => {
    if (new Set(ticks.map(format)).size === ticks.length) return format(value);
    const [first = 0, second = 0] = ticks;
    const isWhole = (number: number): boolean => Math.abs(number - Math.round(number)) < 1e-6;
    let decimals = 0;
    while (decimals < decimalsMax && !isWhole((second - first) * 10 ** decimals)) decimals += 1;
    return new Intl.NumberFormat(locale, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }).format(value);
  };
};

/** A text of the service: percent signs stay on the line of their numbers, and "au-dessus" is not divided. */
export const unbroken = (text: string): string =>
  text.replaceAll(/(\d) %/g, '$1\u00a0%').replaceAll(/\b(au)-(dessus|dessous)\b/gi, '$1-\u2060$2');
