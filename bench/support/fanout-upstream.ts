import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a token costs when one request is evaluated alone. Slots share this rate, as they share a processor. */
const msPerToken = 0.2;
/** Tokens per block of the prefix cache; a block is kept when the request that evaluated it is done. */
const blockTokens = 16;

interface Job {
  left: number;
  done: () => void;
}

export interface CachingUpstream {
  readonly url: string;
  /** Tokens evaluated since the last `reset`. */
  readonly evaluated: number;
  /** Chat bodies since the last `reset`, in order of arrival. */
  readonly bodies: readonly string[];
  /** Empties the prefix cache and the counts. */
  reset(): void;
  close(): Promise<void>;
}

/**
 * An OpenAI-compatible server with `slots` slots and a prefix cache between them: evaluation costs time per token
 * that is not cached, requests beyond the slots queue. Requests that arrive together find the cache as it was, so
 * each evaluates the shared prefix for itself: that is what real servers do. The cache keeps `blocksMax` blocks.
 */
export async function startCachingUpstream(slots: number, blocksMax = Infinity): Promise<CachingUpstream> {
  const state = { evaluated: 0, bodies: [] as string[], cache: new Set<string>() };
  const keep = (block: string): void => {
    // Taken out and put back, so that the first is the one used longest ago.
    state.cache.delete(block);
    state.cache.add(block);
    const [oldest] = state.cache;
    if (state.cache.size > blocksMax && oldest !== undefined) state.cache.delete(oldest);
  };
  const evaluate = createProcessor(slots);
  const server = createServer((request, response) => {
    const reply = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      reply(404, {
        error: { message: 'Invalid URL', type: 'invalid_request_error', param: null, code: null },
      });
      return;
    }
    const work = async () => {
      const body = await readBody(request);
      state.bodies.push(body);
      await evaluate(() => {
        const blocks = blocksOf(body);
        const known = blocks.findIndex((block) => !state.cache.has(block));
        const tokens = tokensOf(body).length - (known < 0 ? blocks.length : known) * blockTokens;
        state.evaluated += tokens;
        return {
          tokens,
          done: () => {
            for (const block of blocks) keep(block);
          },
        };
      });
      if ((JSON.parse(body) as { stream?: boolean }).stream === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streamed);
        return;
      }
      reply(200, answer);
    };
    void work();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get evaluated() {
      return state.evaluated;
    },
    get bodies() {
      return state.bodies;
    },
    reset() {
      state.evaluated = 0;
      state.bodies = [];
      state.cache = new Set();
    },
    close: () => stop(server),
  };
}

/** Slots work at once and share the rate evenly; the queue is first come, first served. */
function createProcessor(slots: number) {
  const queue: (() => void)[] = [];
  const jobs = new Set<Job>();
  let at = performance.now();
  let timer: NodeJS.Timeout | undefined;

  function advance(): void {
    const now = performance.now();
    const share = (now - at) / msPerToken / Math.max(1, jobs.size);
    at = now;
    clearTimeout(timer);
    for (const job of jobs) {
      job.left -= share;
      if (job.left > 1e-6) continue;
      jobs.delete(job);
      job.done();
    }
    while (jobs.size < slots && queue.length > 0) queue.shift()?.();
    if (jobs.size === 0) return;
    const least = Math.min(...[...jobs].map(({ left }) => left));
    timer = setTimeout(advance, least * msPerToken * jobs.size);
  }

  return (start: () => { readonly tokens: number; readonly done: () => void }): Promise<void> =>
    new Promise((resolve) => {
      queue.push(() => {
        const { tokens, done } = start();
        jobs.add({
          left: tokens,
          done: () => {
            done();
            resolve();
          },
        });
      });
      advance();
    });
}

function tokensOf(body: string): string[] {
  const { messages } = JSON.parse(body) as { messages: { content: unknown }[] };
  return (
    messages
      .map(({ content }) => (typeof content === 'string' ? content : 'image'))
      .join('\n')
      .match(/\S+/g) ?? []
  );
}

/** Each block by everything up to its end, as prefix caches name them. */
function blocksOf(body: string): string[] {
  const tokens = tokensOf(body);
  const count = Math.floor(tokens.length / blockTokens);
  return Array.from({ length: count }, (_, index) => tokens.slice(0, (index + 1) * blockTokens).join(' '));
}

const listed = Array.from('ABCDEFGHIJKLMNOPQRST', (token, index) => ({
  token,
  logprob: -1 - index / 4,
  bytes: [token.charCodeAt(0)],
}));
const answer = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'bench',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'A', refusal: null },
      logprobs: { content: [{ ...listed[0], top_logprobs: listed }], refusal: null },
      finish_reason: 'length',
    },
  ],
};

const delta = (content: string, finish_reason: string | null) => ({
  id: answer.id,
  object: 'chat.completion.chunk',
  created: 1,
  model: 'bench',
  choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason }],
});
const streamed = [delta('A', null), delta('', 'stop')]
  .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('');

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
