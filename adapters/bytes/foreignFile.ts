/** A kind of file that is not text: its first bytes, its name, and how to get text from it. */
type ForeignFile = { readonly magic: readonly number[]; readonly got: string; readonly advice: string };

const foreignFiles: readonly ForeignFile[] = [
  { magic: [0x1f, 0x8b], got: 'a gzip file', advice: 'unpack it first, with gunzip' },
  {
    magic: [0x50, 0x4b, 0x03, 0x04],
    got: 'an Excel workbook or another zip file',
    advice: 'unpack it, or save the sheet as "CSV UTF-8"',
  },
  {
    magic: [0xd0, 0xcf, 0x11, 0xe0],
    got: 'an Excel workbook',
    advice: 'save the sheet as "CSV UTF-8"',
  },
];

/** First bytes of Parquet: "PAR1", which may also begin the header of a CSV. */
const parquet: ForeignFile = {
  magic: [0x50, 0x41, 0x52, 0x31],
  got: 'a Parquet file',
  advice: 'write it as CSV',
};
/** Bytes in which Parquet has a control character below the tab; the header of a CSV has none. */
const controlWithin = 16;

const beginsWith = (head: Buffer, { magic }: ForeignFile): boolean =>
  magic.every((byte, index) => head[index] === byte);

const isParquet = (head: Buffer): boolean =>
  beginsWith(head, parquet) && head.subarray(0, controlWithin).some(byte => byte < 0x09);

/** The fault of a file that is not text, by its first bytes, with advice; undefined for text. */
export const foreignFile = (head: Buffer): string | undefined => {
  const file = isParquet(head) ? parquet : foreignFiles.find(each => beginsWith(head, each));
  return file && `got ${file.got}, expected text in UTF-8: ${file.advice}`;
};

/** Whether text begins with a byte order mark of UTF-16; UTF-8 never begins with these bytes. */
export const hasUtf16Mark = ([first]: Uint8Array): boolean => first === 0xff || first === 0xfe;

/** Whether text begins like UTF-16: with its byte order mark, or with a character of two bytes of which one is 0. */
export const isUtf16 = (head: Uint8Array): boolean => hasUtf16Mark(head) || head[0] === 0 || head[1] === 0;
