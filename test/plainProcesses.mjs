// Loaded first in each process of a test run: tap records the modules of all processes for its coverage, which is off.
// Its loader hooks cost each process that a test starts some 0.8 seconds of processor time.
import module from 'node:module';

globalThis[Symbol.for('@tapjs/processinfo.ProcessInfoNodeData')] = { files: [], sources: {} };
module.register = () => undefined;
