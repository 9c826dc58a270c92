import t from 'tap';
import { openLog } from '../../adapters/stores/open.js';
import { newAddress, withoutEventStoreDb } from '../helpers/eventStoreDb.js';
import { storeContract } from '../helpers/storeContract.js';

const skip = withoutEventStoreDb;

storeContract('eventstoredb', () => openLog(newAddress()), { skip, anyIdOnce: false });
t.pass('reached');
