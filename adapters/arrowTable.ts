import {
  Bool,
  DateDay,
  Field,
  Float64,
  Int32,
  RecordBatchStreamWriter,
  Schema,
  Table,
  TimestampMillisecond,
  Utf8,
  vectorFromArray,
  type DataType,
  type RecordBatch,
} from 'apache-arrow';
import type { ColumnKind, DataTable, RowGroups, Value } from '../application/requests/dataTables.js';

/** Rows of a record batch at least, except for the last one: a few milliseconds of work. */
const batchRows = 1000;

/** Types of Arrow. Ids and counts of the service are below 2³¹. */
const types: Readonly<Record<ColumnKind, DataType>> = {
  text: new Utf8(),
  integer: new Int32(),
  number: new Float64(),
  boolean: new Bool(),
  date: new DateDay(),
  instant: new TimestampMillisecond('UTC'),
};

/** A value as the type of its column takes it. */
const arrowValue = (kind: ColumnKind, value: Value): unknown =>
  value !== null && (kind === 'date' || kind === 'instant') ? new Date(value as string) : value;

/** A writer whose bytes are taken after each record batch: the queue of the library would hold the whole table. */
class TakenWriter extends RecordBatchStreamWriter {
  readonly #parts: Uint8Array[] = [];

  protected override _write(chunk: ArrayBufferView): this {
    const { buffer, byteOffset, byteLength } = chunk;
    if (byteLength > 0) this.#parts.push(new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength));
    this._position += byteLength;
    return this;
  }

  /** The bytes since the last call. */
  take(): Uint8Array {
    return Buffer.concat(this.#parts.splice(0));
  }
}

/** A table in the streaming format of Arrow IPC, in record batches. All columns are nullable. */
export async function* arrowChunks(
  { columns }: Pick<DataTable, 'columns'>,
  groups: RowGroups,
): AsyncGenerator<Uint8Array> {
  const named = Object.entries(columns);
  const schema = new Schema(named.map(([name, kind]) => new Field(name, types[kind], true)));
  const batchOf = (taken: readonly (readonly Value[])[]): RecordBatch => {
    const vectors = named.map(([name, kind], at) => {
      const values = taken.map(row => arrowValue(kind, row[at] ?? null));
      return [name, vectorFromArray(values, types[kind])];
    });
    const [batch] = new Table(schema, Object.fromEntries(vectors)).batches;
    if (!batch) throw new Error('a table of Arrow without a record batch');
    return batch;
  };
  const writer = new TakenWriter();
  let taken: (readonly Value[])[] = [];
  for await (const rows of groups) {
    taken.push(...rows);
    if (taken.length < batchRows) continue;
    writer.write(batchOf(taken));
    taken = [];
    yield writer.take();
  }
  writer.write(batchOf(taken));
  writer.finish();
  yield writer.take();
}
