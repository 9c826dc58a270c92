import { inflateRawSync } from 'node:zlib';

/**
 * The only file of a zip archive.
 * @throws Error when the archive has another form
 */
export const unzipped = (zip: Buffer): Buffer => {
  const central = zip.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
  if (central < 0 || zip.readUInt16LE(central + 10) !== 8)
    throw new Error('got no archive with a deflated file, expected a zip file');
  const at = zip.readUInt32LE(central + 42);
  const begin = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  return inflateRawSync(zip.subarray(begin, begin + zip.readUInt32LE(central + 20)));
};
