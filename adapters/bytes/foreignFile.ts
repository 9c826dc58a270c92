/** A kind of file that is no text, by its first bytes, and how to get text from it. */
type ForeignFile = { readonly magic: readonly number[]; readonly got: string; readonly cure: string };

const foreignFiles: readonly ForeignFile[] = [
  { magic: [0x1f, 0x8b], got: 'a gzip file', cure: 'unpack it first, with gunzip' },
  {
    magic: [0x50, 0x4b, 0x03, 0x04],
    got: 'an Excel workbook or another zip file',
    cure: 'unpack it, or save the sheet as "CSV UTF-8"',
  },
  {
    magic: [0xd0, 0xcf, 0x11, 0xe0],
    got: 'an Excel workbook',
    cure: 'save the sheet as "CSV UTF-8"',
  },
  { magic: [0x50, 0x41, 0x52, 0x31], got: 'a Parquet file', cure: 'write it as CSV' },
];

/** Says which file that is no text begins with these bytes, and what to do; undefined for text. */
export const foreignFile = (head: Buffer): string | undefined => {
  const file = foreignFiles.find(({ magic }) => magic.every((byte, index) => head[index] === byte));
  return file && `got ${file.got}, expected text in UTF-8: ${file.cure}`;
};
