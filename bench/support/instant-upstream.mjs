// A model server without a model: answers chat completions at once, as one JSON text or as 32 deltas, each in a packet of
// its own, as servers write them.
import { createServer } from 'node:http';
import { serveBench } from './child.ts';

const deltas = Array.from({ length: 32 }, (_, index) => ` word${index}`);
const usage = { prompt_tokens: 70, completion_tokens: 32, total_tokens: 102 };
const head = { id: 'chatcmpl-1', created: 1, model: 'instant' };
const whole = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: deltas.join('') }, finish_reason: 'stop' }],
  usage,
});
const chunk = (delta, reason) =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
const chunks = deltas.map((content, index) =>
  chunk(index === 0 ? { role: 'assistant', content } : { content }, null),
);
const last = `${chunk({}, 'stop')}data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`;

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        '{"object":"list","data":[{"id":"instant","object":"model","created":1,"owned_by":"bench"}]}',
      );
      return;
    }
    const body = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    if (body.stream !== true) {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(whole),
      });
      response.end(whole);
      return;
    }
    response.socket.setNoDelay(true);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let index = 0;
    const next = () => {
      if (response.destroyed) return;
      if (index === chunks.length) response.end(last);
      else {
        response.write(chunks[index++]);
        setImmediate(next);
      }
    };
    next();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  serveBench(`http://127.0.0.1:${server.address().port}`, async () => server.close());
});
