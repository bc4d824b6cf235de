import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, suite, test } from 'node:test';
import { openSocket } from '../support/http.ts';
import { rootKey } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { spawnServer } from './server-process.ts';

/** What is asked while the heaviest requests that are allowed are worked on is answered before them. */

const server = await spawnServer(await temporaryFolder({ after }), {
  NESTOR_ROOT_KEY: rootKey,
  NESTOR_DETECT: 'false',
  NESTOR_SANDBOX_RUNNER: 'off',
  NESTOR_RATE_LIMITS_ENABLED: 'false',
});
after(() => server.end('SIGKILL'));

const path = '/v1/contextualizedembeddings';
const embedded = (documents: number, chunks: number) => ({
  model: 'svc-embed-context-v1-4b',
  input: Array.from({ length: documents }, () => Array.from({ length: chunks }, (_, at) => `ab ${at}`)),
});

suite('/healthz is answered while a request is worked on', () => {
  for (const [what, body] of [
    ['16 documents of 1,000 chunks', embedded(16, 1_000)],
    ['one document of 8,000 chunks', embedded(1, 8_000)],
  ] as const) {
    test(what, async () => {
      // What is read at the first use is not what is looked at.
      await fetch(server.url + path, request(JSON.stringify(embedded(1, 2))));
      const order: string[] = [];
      const [large, health] = [await openSocket(server.url), await openSocket(server.url)];
      large.once('data', () => order.push('body'));
      health.once('data', () => order.push('healthz'));
      const begun = Promise.all([once(large, 'data'), once(health, 'data')]);
      const bytes = Buffer.from(JSON.stringify(body));
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rootKey}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
      large.write(head);
      await new Promise<void>((sent) => large.write(bytes.subarray(0, -1), () => sent()));
      // The last byte and the question leave together, in this order.
      large.write(bytes.subarray(-1));
      health.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      const [[answer]] = (await begun) as [[Buffer], [Buffer]];
      assert.match(answer.toString('latin1'), /^HTTP\/1.1 200 /);
      assert.deepEqual(order, ['healthz', 'body']);
      for (const socket of [large, health]) socket.destroy();
    });
  }
});

const request = (body: string) => ({
  method: 'POST',
  headers: { authorization: `Bearer ${rootKey}` },
  body,
});
