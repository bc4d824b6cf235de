// The floor: Node's own server and undici's client, which parses nothing.
import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { serveBench } from './child.ts';

const agent = new Agent({ connections: 256 });
const upstream = `${process.env.BENCH_UPSTREAM}/v1/chat/completions`;

const server = createServer((incoming, outgoing) => {
  const pieces = [];
  incoming.on('data', (piece) => pieces.push(piece));
  const forward = async () => {
    const answer = await request(upstream, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: incoming.headers.authorization },
      body: Buffer.concat(pieces),
    });
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.body.pipe(outgoing);
  };
  incoming.on('end', () => void forward());
});
server.listen(0, '127.0.0.1', () => {
  serveBench(`http://127.0.0.1:${server.address().port}`, async () => server.close());
});
