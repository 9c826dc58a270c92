import { InvalidInput } from '../../../application/requests/imports/faults.js';

/** A body in chunks of `size` bytes. */
export async function* bodyOf(text: string | Buffer, size = 65_536): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** The InvalidInput of an import; throws if the import succeeds or fails otherwise. */
export const refusal = async (answer: Promise<unknown>): Promise<InvalidInput> => {
  try {
    await answer;
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
  throw new Error('got an answer, expected InvalidInput');
};
