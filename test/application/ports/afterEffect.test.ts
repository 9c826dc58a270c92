import t from 'tap';
import {
  failAfterEffect,
  LogDamaged,
  LogTaken,
  OutcomeUnknown,
  StoreUnavailable,
} from '../../../application/ports/eventStore.js';

t.test(
  'an unreachable store after a request took effect is an unknown outcome; other errors stay',
  async t => {
    const thrownFor = (error: unknown): unknown => {
      try {
        return failAfterEffect(error);
      } catch (thrown) {
        return thrown;
      }
    };
    for (const error of [new StoreUnavailable('away'), new LogTaken('taken')]) {
      const thrown = thrownFor(error);
      t.ok(thrown instanceof OutcomeUnknown, error.name);
      t.match(thrown, { message: error.message, cause: error });
    }
    for (const error of [new OutcomeUnknown('away'), new LogDamaged('damaged'), new RangeError('a bug')])
      t.equal(thrownFor(error), error, error.name);
  },
);
