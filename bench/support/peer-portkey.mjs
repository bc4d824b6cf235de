// @portkey-ai/gateway: chat completions in and out.
import { createServer } from 'node:net';
import { once } from 'node:events';
import { serveBench } from './child.ts';

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
await once(probe, 'close');
process.argv.push(`--port=${port}`, '--headless');
console.log = () => {};
await import(process.env.BENCH_PEER);
for (;;) {
  try {
    await fetch(`http://127.0.0.1:${port}/`);
    break;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
serveBench(`http://127.0.0.1:${port}`, async () => process.exit(0));
