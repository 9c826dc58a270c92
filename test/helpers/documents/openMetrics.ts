/** A sample of OpenMetrics text. */
export type Sample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

/**
 * Samples of OpenMetrics text.
 * @throws Error at a line that is no sample, help or type, or without the end mark
 */
export const samplesOf = (text: string): readonly Sample[] => {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.pop() !== '# EOF') throw new Error('the text does not end with # EOF');
  return lines
    .filter(line => !/^# (HELP|TYPE) \w+ /.test(line))
    .map(line => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const number = value === '+Inf' ? Infinity : value === 'Nan' ? NaN : Number(value);
      if (name === '' || (Number.isNaN(number) && value !== 'Nan')) throw new Error(`no sample: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return { name, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value: number };
    });
};

/** The value of the one sample with this name and these labels, and no others but `le`; undefined without it. */
export const valueOf = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined =>
  samples.find(
    sample =>
      sample.name === name &&
      Object.keys(sample.labels).length === Object.keys(labels).length &&
      Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;
