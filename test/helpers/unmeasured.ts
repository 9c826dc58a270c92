import type { Measured } from '../../bench/quality/measure.js';

/** A made-up series of which nothing was measured. */
export const unmeasured: Measured = {
  name: 'made-up',
  calendar: null,
  seconds: 0,
  scores: {},
  robust: {},
  splits: [],
  thinned: [],
  planning: null,
  lost: [],
  today: null,
  injected: null,
  contaminated: null,
  messages: null,
};
