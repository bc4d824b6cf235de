/** A process that opens the store, says so, and closes. */
import { openDatabase } from '../../../src/kernel/store/database.ts';

const [url = ''] = process.argv.slice(2);
const database = await openDatabase(url, { dataFolder: '/nowhere' });
process.stdout.write(`${database.health()}\n`);
await database.close();
