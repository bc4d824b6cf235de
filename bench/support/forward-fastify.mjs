// Fastify and undici: parses the body and forwards it.
import { fastify } from 'fastify';
import { Agent, request } from 'undici';
import { serveBench } from './child.ts';

const agent = new Agent({ connections: Number(process.env.BENCH_CONNECTIONS ?? 256) });
const upstream = `${process.env.BENCH_UPSTREAM}/v1/chat/completions`;

const app = fastify({ bodyLimit: 67_108_864 });
app.post('/v1/chat/completions', async (incoming, reply) => {
  const answer = await request(upstream, {
    dispatcher: agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: incoming.headers.authorization },
    body: JSON.stringify(incoming.body),
  });
  reply.code(answer.statusCode).header('content-type', answer.headers['content-type']);
  const length = answer.headers['content-length'];
  if (length !== undefined) reply.header('content-length', length);
  return reply.send(answer.body);
});
await app.listen({ host: '127.0.0.1', port: 0 });
serveBench(`http://127.0.0.1:${app.server.address().port}`, () => app.close());
