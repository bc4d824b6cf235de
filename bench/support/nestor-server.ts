// Nestor as `npm start` runs it, compile cache included, with a line to the bench that started it.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../../node_modules/.cache/nestor', import.meta.url),
);
module.enableCompileCache(process.env['NODE_COMPILE_CACHE']);
const { openLog } = await import('../../src/kernel/kit/log.ts');
const { configuration } = await import('../../src/configuration.ts');
const { openServer } = await import('../../src/server.ts');
const { serveBench } = await import('./child.ts');

const config = configuration.load({ env: process.env, cwd: process.cwd() });
// Embedding the guide takes a first start a minute and more of CPU time, which is not what each bench measures.
const docs = process.env['BENCH_DOCS'] === 'off' ? { docsAt: () => null } : {};
const server = await openServer(config, { ...docs, log: await openLog(config.log) });
serveBench(await server.listen(), () => server.close());
module.flushCompileCache();
