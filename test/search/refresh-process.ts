/** Refreshes one source in a process of its own, which may be killed, and prints what it came to. */
import { configuration } from '../../src/configuration.ts';
import { toSource } from '../../src/features/index/source.ts';
import { openIndexTools } from '../../src/features/index/open-index.ts';

const [data = '', location = '', host = '', laterMs = '0'] = process.argv.slice(2);
// After the lease of one that was killed.
const clock = { now: () => Date.now() + Number(laterMs), monotonic: () => performance.now() };
const env = { NESTOR_DATA: data, NESTOR_EMBEDDINGS_ENGINE: 'words', NESTOR_OUTBOUND_ALLOW_HOSTS: host };
const tools = await openIndexTools(configuration.load({ env, cwd: data }), clock);
try {
  const row = await tools.sources.find(location);
  if (row === undefined) throw new Error(`no source ${location}`);
  const outcome = await tools.refresh(toSource(row), new AbortController().signal, () => {});
  process.stdout.write(`${JSON.stringify({ outcome })}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : 'unknown' })}\n`);
} finally {
  await tools.close();
}
