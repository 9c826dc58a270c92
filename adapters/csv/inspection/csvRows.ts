const newline = 0x0a;
/** Fields of a row that are kept. */
const fieldsMax = 50;
/** Longest quoted field; a longer one is read as if its quote were text. */
const quotedMax = 4096;

/**
 * The first rows of a CSV as fields, for an inspection. Bytes that break the rules of quotes are kept unchanged. Blank
 * lines and fields after the 50th are left out.
 */
export const csvRows = (text: string, separator: string, rowsMax: number): string[][] => {
  const rows: string[][] = [];
  let fields: string[] = [];
  let at = 0;
  while (at < text.length && rows.length < rowsMax) {
    const { field, end } = fieldAt(text, at, separator);
    if (fields.length < fieldsMax) fields.push(field);
    if (text[end] === separator) {
      at = end + 1;
      // A separator at the very end is followed by an empty field.
      if (at === text.length && fields.length < fieldsMax) fields.push('');
      if (at < text.length) continue;
    }
    if (fields.length > 1 || fields[0] !== '') rows.push(fields);
    fields = [];
    at = end + 1;
  }
  if (fields.length > 0 && rows.length < rowsMax) rows.push(fields);
  return rows;
};

/** The field that begins at an index, and the index of the separator or line feed after it. */
const fieldAt = (text: string, from: number, separator: string): { field: string; end: number } => {
  const mark = separator.charCodeAt(0);
  const endOf = (start: number): number => {
    let end = start;
    for (; end < text.length; end += 1) {
      const code = text.charCodeAt(end);
      if (code === mark || code === newline) break;
    }
    return end;
  };
  if (text[from] === '"') {
    let close = from + 1;
    for (;;) {
      close = text.indexOf('"', close);
      if (close < 0 || text[close + 1] !== '"' || close - from > quotedMax) break;
      close += 2;
    }
    if (close > 0) {
      const end = endOf(close + 1);
      if (/^\r?$/.test(text.slice(close + 1, end)))
        return { field: text.slice(from + 1, close).replaceAll('""', '"'), end };
    }
  }
  const end = endOf(from);
  return { field: text.slice(from, end).replace(/\r$/, ''), end };
};
