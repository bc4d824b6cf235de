import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestScope } from './server.ts';

/** What a server sent for one request. */
export interface Witnessed {
  readonly method: string;
  readonly path: string;
  /** What the program asked. */
  asked: string;
  status: number;
  /** The whole body, as it came. */
  body: string;
}

export interface Witness {
  readonly url: string;
  /** In the order in which they began. */
  readonly seen: readonly Witnessed[];
}

/** Stands between a program and a server, passes on both ways what comes, and remembers it. */
export async function startWitness(t: TestScope, url: string): Promise<Witness> {
  const seen: Witnessed[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const one: Witnessed = { method, path, asked: '', status: 0, body: '' };
    seen.push(one);
    const asking = request(url + path, { method, headers }, (answer) => {
      one.status = answer.statusCode ?? 0;
      outgoing.writeHead(one.status, answer.headers);
      answer.setEncoding('utf8').on('data', (piece: string) => (one.body += piece));
      answer.pipe(outgoing);
    });
    asking.on('error', () => outgoing.destroy());
    outgoing.on('close', () => asking.destroy());
    incoming.on('data', (piece: Buffer) => (one.asked += piece.toString()));
    incoming.pipe(asking);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
