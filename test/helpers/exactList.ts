/** Pattern of `t.match` for a list of exactly these elements: an array as a pattern matches longer lists too. */
export const exactList = (...elements: readonly unknown[]): object => ({
  ...elements,
  length: elements.length,
});
