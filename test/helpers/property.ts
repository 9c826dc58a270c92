import fc from 'fast-check';

/** Properties try the same cases in each run; other ones with PROPERTY_SEED, which a failure prints. */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });

export default fc;
