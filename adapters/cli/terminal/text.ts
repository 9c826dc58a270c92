import { counted } from '../../../application/texts/counted.js';
import { inOneLine } from '../../../domain/harmlessText.js';

/** Text from outside in one line, without characters that could steer a terminal. */
export const plain = (text: string): string => inOneLine(text).replaceAll(/[\u200e\u200f]/g, ' ');

/** `text` in lines of at most `width` characters, broken at spaces. Longer words are cut. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(/ +/).filter(word => word !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
      continue;
    }
    for (let from = 0; from < word.length; from += width) lines.push(word.slice(from, from + width));
  }
  return lines;
};

/** `text` in at most `width` characters; a longer one ends in `…`. */
export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1).trimEnd()}…`;

/** A value of a series with at least three digits: `0.0123`, `14.2`, `1,280`. */
export const valueText = (value: number): string => {
  const size = Math.abs(value);
  if (size >= 100) return `${value < 0 ? '-' : ''}${counted(size)}`;
  return size === 0 ? '0' : String(Number(value.toPrecision(3)));
};

/** A criticity (0–1) with two decimals; only 1 itself is shown as `1.00`. */
export const criticityText = (criticity: number): string =>
  (criticity < 1 ? Math.min(criticity, 0.994) : criticity).toFixed(2);

/** A duration given in milliseconds: `8 ms`, `1.24 s`, `2 min 5 s`. */
export const duration = (ms: number): string => {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

/** A size given in bytes: `512 B`, `1.9 MB` (units of 1000). */
export const byteSize = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_950) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
};
