// The floor: Fastify that parses the same body, checks the bearer and answers a prepared object.
import { fastify } from 'fastify';
import { serveBench } from './child.ts';

const app = fastify({ bodyLimit: 33_554_432 });
const answer = {
  model: 'svc-decider-v1-27b',
  answers: { topic: { type: 'choice', choice: 'a', confidence: 1, probabilities: { a: 1 } } },
  usage: { input_tokens: 0, output_tokens: 1 },
};
app.post('/v1/decisions', (request, reply) => {
  if (request.headers.authorization === undefined || request.body.questions === undefined) reply.code(400);
  reply.send(answer);
});
await app.listen({ host: '127.0.0.1', port: 0 });
serveBench(`http://127.0.0.1:${app.server.address().port}`, () => app.close());
