/** A process that takes over what others left in a journal and reports its own id and the ids of those rows. */
import { createStore, openTestMeter } from './ledger.fixture.ts';

const [folder = ''] = process.argv.slice(2);
const store = createStore();
const meter = openTestMeter(folder, store);
await meter.flush();
await meter.close();
process.send?.({ pid: process.pid, ids: [...store.rows.keys()] });
