/** Refreshes one source in a process of its own, which may be killed, and prints what it came to. */
import { refreshPlace } from './refresh-place.ts';

const [data = '', location = '', host = '', laterMs = '0'] = process.argv.slice(2);
const refreshed = await refreshPlace({ data, location, host }, Number(laterMs));
process.stdout.write(`${JSON.stringify(refreshed)}\n`);
