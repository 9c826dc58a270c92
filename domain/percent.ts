/** A share (0–1) as a percentage with a space before its sign: `97.3 %`. */
export const percent = (share: number, decimals = 0): string => `${(100 * share).toFixed(decimals)} %`;

/** Text for a page: a percent sign stays on the line of its number. */
export const unbroken = (text: string): string => text.replaceAll(/(\d) %/g, '$1\u00a0%');
