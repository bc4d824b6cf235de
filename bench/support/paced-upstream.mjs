// A model server that writes at a pace: each stream has deltas at fixed times, and each delta says when it was due and
// when it was written.
import { createServer } from 'node:http';
import { serveBench } from './child.ts';

const paceMs = Number(process.env.BENCH_PACE_MS);
const deltas = Number(process.env.BENCH_DELTAS);
const now = () => performance.timeOrigin + performance.now();
const head = { id: 'chatcmpl-1', created: 1, model: 'instant', object: 'chat.completion.chunk' };
const chunk = (delta, finish_reason) =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const usage = { prompt_tokens: 70, completion_tokens: deltas, total_tokens: 70 + deltas };
const last = `${chunk({}, 'stop')}data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`;

const server = createServer((request, response) => {
  request.resume();
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      '{"object":"list","data":[{"id":"instant","object":"model","created":1,"owned_by":"bench"}]}',
    );
    return;
  }
  response.socket.setNoDelay(true);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const startedAt = now();
  let index = 0;
  const write = () => {
    if (response.destroyed) return;
    for (let due = startedAt + index * paceMs; due <= now(); due = startedAt + index * paceMs) {
      if (index === deltas) {
        response.end(last);
        return;
      }
      response.write(chunk({ content: `<${due.toFixed(2)}|${now().toFixed(2)}>` }, null));
      index++;
    }
    setTimeout(write, Math.max(0, startedAt + index * paceMs - now()));
  };
  write();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', 4_096, () => {
  serveBench(`http://127.0.0.1:${server.address().port}`, async () => server.closeAllConnections());
});
