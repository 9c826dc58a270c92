/** Calls back when a request has ended, also when live changes have removed the form that sent it by then. */
export const whenDone = <Value>(
  request: Promise<Value>,
  done: (value: Value) => void,
  failed: (error: Error) => void,
): void => void request.then(done, failed);
