import { randomBytes } from 'node:crypto';
import { zipOf, skillText } from '../../test/support/zip.ts';

/** One request that is as much work as the interface allows. */
export interface LoopCase {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Buffer;
  readonly type?: string;
  readonly status: number;
  /** A run that is kept: it and its events are read afterwards. */
  readonly isReadAgain?: boolean;
}

const decider = 'svc-decider-v1-27b';
const sentence = 'I was charged twice for order 4411, please fix this today and tell me why. ';

/** Made one after the other, so that not all of them are in memory at once. */
export function* loopCases(): Generator<LoopCase> {
  const post = (name: string, path: string, body: unknown, status = 200): LoopCase => ({
    name,
    method: 'POST',
    path,
    body: Buffer.from(JSON.stringify(body)),
    status,
  });
  const get = (name: string, path: string): LoopCase => ({ name, method: 'GET', path, status: 200 });
  yield get('openapi.json, first', '/openapi.json');
  yield get('a page of the guide, first', '/docs/guide/configuration');
  yield* decisions(post);
  yield post('embeddings, 512 texts', '/v1/embeddings', {
    model: 'svc-embed-v1-0.6b',
    input: Array.from({ length: 512 }, (_, index) => `${index} ${textOf(800)}`),
  });
  yield post('embeddings, three longest texts, 2560 dimensions', '/v1/embeddings', {
    model: 'svc-embed-v1-4b',
    input: Array.from({ length: 3 }, (_, index) => `${index} ${textOf(100_000)}`),
  });
  yield post('contextualized embeddings, 16,000 chunks, 2560 dimensions', '/v1/contextualizedembeddings', {
    model: 'svc-embed-context-v1-4b',
    input: Array.from({ length: 16 }, () => Array.from({ length: 1_000 }, (_, at) => `chunk ${at} ab`)),
  });
  yield post(
    'embeddings, 30 MB refused',
    '/v1/embeddings',
    { model: 'svc-embed-v1-4b', input: textOf(30e6) },
    422,
  );
  yield* talks(post);
  yield post('search, five longest queries', '/search', {
    query: Array.from({ length: 5 }, (_, index) => `${index} ${wordsOf(8_000, index)}`),
    max_results: 20,
  });
  yield skill();
}

type Post = (name: string, path: string, body: unknown, status?: number) => LoopCase;

function* decisions(post: Post): Generator<LoopCase> {
  const choice = (options: number) => ({
    type: 'choice',
    instructions: 'What is the customer asking for?',
    criteria: Object.fromEntries(Array.from({ length: options }, (_, at) => [`option ${at}`, null])),
  });
  const questions = (count: number, question: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, question]));
  yield post('decisions, 128 questions on a state of 900 KB', '/v1/decisions', {
    model: decider,
    state: textOf(900_000),
    questions: questions(128, { type: 'noul', instructions: 'Does the customer ask for money back?' }),
  });
  yield post('decisions, 128 questions of 255 options', '/v1/decisions', {
    model: decider,
    state: textOf(200_000),
    questions: questions(128, choice(255)),
  });
  yield post(
    'decisions, token count of 32 MB, refused',
    '/v1/decisions',
    { model: decider, state: textOf(32e6), questions: questions(1, { type: 'noul', instructions: 'x' }) },
    400,
  );
  yield post(
    'decisions, eight images of 3 MB',
    '/v1/decisions',
    {
      model: decider,
      state: Array.from({ length: 8 }, () => ({ type: 'image_url', image_url: { url: image(3_000_000) } })),
      questions: questions(1, { type: 'noul', instructions: 'x' }),
    },
    400,
  );
  yield post(
    'decisions, 30 MB of small objects as state',
    '/v1/decisions',
    {
      model: decider,
      state: Array.from({ length: 80_000 }, (_, at) => ({ [`name${at}`]: textOf(300) })),
      questions: questions(1, { type: 'noul', instructions: 'x' }),
    },
    400,
  );
}

function* talks(post: Post): Generator<LoopCase> {
  const turns = (count: number, chars: number) =>
    Array.from({ length: count }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: textOf(chars),
    }));
  yield post('chat completion, history of 10 MB in 1,001 turns', '/chat/completions', {
    model: 'svc',
    messages: turns(1_001, 10_000),
  });
  yield post('chat completion, history of 10 MB in 50,001 turns', '/chat/completions', {
    model: 'svc',
    messages: turns(50_001, 200),
  });
  yield post('chat completion, one question of 10 MB', '/chat/completions', {
    model: 'svc',
    messages: turns(1, 10_000_000),
  });
  yield post('agent, 500 items, 10 MB', '/v1/agent', {
    model: 'svc/svc',
    input: turns(501, 20_000).map((turn) => ({ type: 'message', ...turn })),
  });
  yield post('agent, input of 10 MB', '/v1/agent', { model: 'svc/svc', input: textOf(10_000_000) });
  yield {
    ...post('agent, an answer of 3 MB', '/v1/agent', { model: 'bench/talker', input: 'a long answer' }),
    isReadAgain: true,
  };
  yield post('agent, figures of a company, 10 MB', '/v1/agent', {
    model: 'bench/talker',
    input: 'figures',
    tools: [{ type: 'finance_search' }],
  });
  const tools = [
    { role: 'user', content: 'Read the file.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: textOf(5_000_000) }] },
  ];
  const message = {
    model: 'svc/svc',
    messages: tools,
    tools: [{ name: 'read', description: 'Reads.', input_schema: { type: 'object' } }],
  };
  yield post('count_tokens, tool result of 5 MB', '/router/v1/messages/count_tokens', message);
  yield post('router messages, tool result of 5 MB', '/router/v1/messages', {
    ...message,
    model: 'bench/talker',
    max_tokens: 64,
  });
  yield post('count_tokens, 60 MB', '/router/v1/messages/count_tokens', {
    model: 'svc/svc',
    messages: [{ role: 'user', content: textOf(60_000_000) }],
  });
}

function skill(): LoopCase {
  const files = Array.from({ length: 400 }, (_, at) => ({
    path: `files/${at}.txt`,
    content: randomBytes(7_000).toString('hex'),
  }));
  const zip = zipOf([{ path: 'SKILL.md', content: skillText }, ...files]);
  const head = `--b\r\ncontent-disposition: form-data; name="file"; filename="skill.zip"\r\ncontent-type: application/zip\r\n\r\n`;
  return {
    name: `skill of 400 files, ${(zip.length / 1e6).toFixed(1)} MB`,
    method: 'POST',
    path: '/v1/skills',
    body: Buffer.concat([Buffer.from(head), zip, Buffer.from('\r\n--b--\r\n')]),
    type: 'multipart/form-data; boundary=b',
    status: 201,
  };
}

const textOf = (chars: number): string => sentence.repeat(Math.ceil(chars / sentence.length)).slice(0, chars);

/** Words that no other text repeats. */
const wordsOf = (chars: number, seed: number): string => {
  let text = '';
  for (let at = seed; text.length < chars; at += 7) text += `w${at.toString(36)} `;
  return text.slice(0, chars);
};

/** The head of a PNG and noise behind it. */
function image(bytes: number): string {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452000004000000040008020000000000000000', 'hex');
  return `data:image/png;base64,${Buffer.concat([head, randomBytes(bytes)]).toString('base64')}`;
}
