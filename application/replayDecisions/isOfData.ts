import { Rejection } from '../../domain/rejection.js';

/** Whether an error is caused by the data of the log and not by this machine. */
export const isOfData = (error: unknown): error is Error =>
  error instanceof RangeError ||
  error instanceof TypeError ||
  error instanceof Rejection ||
  (error instanceof Error && error.name === 'SqliteError');
