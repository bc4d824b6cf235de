// @musistudio/llms: Messages in, chat completions out.
import { createServer } from 'node:net';
import { once } from 'node:events';
import { serveBench } from './child.ts';

// The ES module of the package does not load: it requires `child_process` where there is no `require`.
const module = await import(process.env.BENCH_PEER);
const Server = module.default.default ?? module.default;
const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
await once(probe, 'close');
const app = new Server({
  logger: false,
  initialConfig: {
    HOST: '127.0.0.1',
    PORT: String(port),
    providers: [
      {
        name: 'bench',
        api_base_url: `${process.env.BENCH_UPSTREAM}/v1/chat/completions`,
        api_key: 'upstream-key',
        models: ['instant'],
      },
    ],
  },
});
await app.start();
serveBench(`http://127.0.0.1:${port}`, async () => process.exit(0));
