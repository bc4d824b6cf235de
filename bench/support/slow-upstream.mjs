// A model server that writes 64 deltas, one every 20 ms, each marked with the last words of its caller.
import { createServer } from 'node:http';
import { serveBench } from './child.ts';

const chunk = (delta, reason) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'slow', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    if (request.method !== 'POST') {
      response.end('{"object":"list","data":[{"id":"slow","object":"model"}]}');
      return;
    }
    const { messages } = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    const mark = messages.at(-1).content;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let index = 0;
    const timer = setInterval(() => {
      if (index < 64) response.write(chunk({ content: `${mark}:${index++};` }, null));
      else {
        clearInterval(timer);
        response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
      }
    }, 20);
    response.on('close', () => clearInterval(timer));
  });
});
server.listen(0, '127.0.0.1', () => {
  serveBench(`http://127.0.0.1:${server.address().port}`, async () => {
    server.closeAllConnections();
    server.close();
  });
});
