// Nestor as `npm start` runs it, compile cache included, with a line to the bench that started it.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../../node_modules/.cache/nestor', import.meta.url),
);
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
const { openLog } = await import('../../src/kernel/kit/log.ts');
const { configuration, openServer } = await import('../../src/server.ts');
const { serveBench } = await import('./child.ts');

const config = configuration.load({ env: process.env, cwd: process.cwd() });
const server = await openServer(config, { log: await openLog(config.log) });
serveBench(await server.listen(), () => server.close());
module.flushCompileCache();
