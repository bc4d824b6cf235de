import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestScope } from './server.ts';

/** What a model says: deltas of text, then calls of tools. */
export interface Said {
  readonly deltas: readonly string[];
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[];
  /** What the question counts, where a model streams over chat completions; 20 by default. */
  readonly promptTokens?: number;
}

/** What a model was told, whatever the wire. */
export interface Told {
  readonly system: string;
  /** Text of the last message, or of the results of tools in it. */
  readonly last: string;
  /** Whether the last message holds results of tools. */
  readonly isResult: boolean;
  readonly tools: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface TalkOptions {
  readonly answer: (told: Told) => Said;
  /** Between two deltas. Unit: ms. */
  readonly pauseMs?: number;
  /** The connection breaks after so many deltas. */
  readonly cutAfter?: number;
  /** Refuses instead of an answer. */
  readonly status?: number;
}

export interface Talker {
  /** With the version of the wire. */
  readonly url: string;
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  /** Answers under way. */
  readonly busy: number;
  /** Resolves when a client leaves before its answer ended. */
  readonly left: Promise<void>;
}

type Wire = (
  response: ServerResponse,
  model: string,
  isStreamed: boolean,
) => {
  begin(): void;
  delta(text: string): void;
  call(index: number, name: string, json: string): void;
  end(hasCalls: boolean, promptTokens: number): void;
};

type Json = Readonly<Record<string, unknown>>;

/** A model behind the chat-completions wire, as OpenAI streams it. */
export function startOpenAiTalker(t: TestScope, options: TalkOptions): Promise<Talker> {
  return start(t, '/chat/completions', options, fromChat, (response, model, isStreamed) => {
    if (!isStreamed) return wholeChat(response, model);
    const chunk = (delta: object, reason: string | null, more: object = {}) =>
      response.write(
        `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: reason }], ...more })}\n\n`,
      );
    return {
      begin: () => chunk({ role: 'assistant', content: '' }, null),
      delta: (content) => chunk({ content }, null),
      call(index, name, json) {
        const half = Math.floor(json.length / 2);
        const call = { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } };
        chunk({ tool_calls: [call] }, null);
        for (const piece of [json.slice(0, half), json.slice(half)]) {
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] }, null);
        }
      },
      end(hasCalls, promptTokens) {
        chunk({}, hasCalls ? 'tool_calls' : 'stop');
        const usage = {
          prompt_tokens: promptTokens,
          completion_tokens: 8,
          total_tokens: promptTokens + 8,
          prompt_tokens_details: { cached_tokens: 4 },
        };
        response.end(
          `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [], usage })}\n\ndata: [DONE]\n\n`,
        );
      },
    };
  });
}

/** The same answer in one piece. */
function wholeChat(response: ServerResponse, model: string): ReturnType<Wire> {
  let content = '';
  const calls: object[] = [];
  const head = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model };
  return {
    // A part of it goes out before the answer is known, so that it can break off in the middle.
    begin: () => void response.write(JSON.stringify(head).slice(0, -1)),
    delta: (text) => void (content += text),
    call: (index, name, json) =>
      void calls.push({ id: `call_${index}`, type: 'function', function: { name, arguments: json } }),
    end(hasCalls) {
      const message = { role: 'assistant', content, ...(hasCalls ? { tool_calls: calls } : {}) };
      const usage = {
        prompt_tokens: 20,
        completion_tokens: 8,
        total_tokens: 28,
        prompt_tokens_details: { cached_tokens: 4 },
      };
      const choices = [{ index: 0, message, finish_reason: hasCalls ? 'tool_calls' : 'stop' }];
      response.end(`,"choices":${JSON.stringify(choices)},"usage":${JSON.stringify(usage)}}`);
    },
  };
}

/** A model behind the Messages wire. */
export function startMessagesTalker(t: TestScope, options: TalkOptions): Promise<Talker> {
  return start(t, '/messages', options, fromMessages, (response, model) => {
    const tell = (type: string, more: object = {}) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
    const usage = {
      input_tokens: 16,
      cache_read_input_tokens: 4,
      cache_creation_input_tokens: 0,
      output_tokens: 1,
    };
    let blocks = 0;
    let isText = false;
    const close = () => {
      if (!isText) return;
      isText = false;
      tell('content_block_stop', { index: blocks - 1 });
    };
    return {
      begin() {
        const message = {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage,
        };
        tell('message_start', { message });
        tell('ping');
      },
      delta(text) {
        if (!isText) {
          isText = true;
          tell('content_block_start', { index: blocks++, content_block: { type: 'text', text: '' } });
        }
        tell('content_block_delta', { index: blocks - 1, delta: { type: 'text_delta', text } });
      },
      call(index, name, json) {
        close();
        const id = `toolu_${String(index).padStart(24, '0')}`;
        tell('content_block_start', {
          index: blocks,
          content_block: { type: 'tool_use', id, name, input: {} },
        });
        const half = Math.floor(json.length / 2);
        for (const partial_json of [json.slice(0, half), json.slice(half)]) {
          tell('content_block_delta', { index: blocks, delta: { type: 'input_json_delta', partial_json } });
        }
        tell('content_block_stop', { index: blocks++ });
      },
      end(hasCalls) {
        close();
        const delta = { stop_reason: hasCalls ? 'tool_use' : 'end_turn', stop_sequence: null };
        tell('message_delta', { delta, usage: { output_tokens: 8 } });
        tell('message_stop');
        response.end();
      },
    };
  });
}

async function start(
  t: TestScope,
  path: string,
  options: TalkOptions,
  read: (body: Json) => Told,
  wire: Wire,
): Promise<Talker> {
  const bodies: Json[] = [];
  const left = Promise.withResolvers<void>();
  const counts = { busy: 0 };
  const server = createServer((request, response) => {
    const work = async () => {
      if (request.method === 'POST' && request.url?.endsWith('/count_tokens')) {
        await readBody(request);
        response.end(JSON.stringify({ input_tokens: 20 }));
        return;
      }
      if (request.method !== 'POST' || request.url !== `/v1${path}`) {
        response.writeHead(404).end('{}');
        return;
      }
      const body = await readBody(request);
      bodies.push(body);
      if (options.status !== undefined) {
        response.writeHead(options.status, { 'retry-after': '30' }).end('{"error":{"message":"no"}}');
        return;
      }
      counts.busy++;
      response.on('close', () => {
        counts.busy--;
        if (!response.writableFinished) left.resolve();
      });
      await talk(
        response,
        options,
        read(body),
        wire(response, String(body['model']), body['stream'] !== false),
      );
    };
    void work();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    bodies,
    left: left.promise,
    get busy() {
      return counts.busy;
    },
  };
}

async function talk(
  response: ServerResponse,
  { answer, pauseMs, cutAfter = Infinity }: TalkOptions,
  told: Told,
  wire: ReturnType<Wire>,
): Promise<void> {
  const { deltas, calls = [], promptTokens = 20 } = answer(told);
  // Nobody believes the declared type, so a whole answer may go out under it as well.
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  wire.begin();
  for (const [index, delta] of deltas.entries()) {
    if (index >= cutAfter) {
      response.destroy();
      return;
    }
    wire.delta(delta);
    if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (response.destroyed) return;
  }
  for (const [index, { name, arguments: json }] of calls.entries()) wire.call(index, name, json);
  wire.end(calls.length > 0, promptTokens);
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json;
}

interface WireMessage {
  readonly role: string;
  readonly content: string | readonly Json[] | null;
}

function textOf(content: WireMessage['content'] | undefined): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map((part) => {
      if (part['type'] === 'tool_result') return textOf(part['content'] as WireMessage['content']);
      return typeof part['text'] === 'string' ? part['text'] : `<${String(part['type'])}>`;
    })
    .join(' ');
}

function fromChat(body: Json): Told {
  const messages = body['messages'] as readonly WireMessage[];
  const tools = (body['tools'] as readonly { function: { name: string } }[] | undefined) ?? [];
  const last = messages.at(-1);
  return {
    system: messages.flatMap(({ role, content }) => (role === 'system' ? [textOf(content)] : [])).join('\n'),
    last: textOf(last?.content),
    isResult: last?.role === 'tool',
    tools: tools.map(({ function: { name } }) => name),
    body,
  };
}

function fromMessages(body: Json): Told {
  const messages = body['messages'] as readonly WireMessage[];
  const last = messages.at(-1)?.content;
  return {
    system: textOf(body['system'] as WireMessage['content'] | undefined),
    last: textOf(last),
    isResult: Array.isArray(last) && last.some((part: Json) => part['type'] === 'tool_result'),
    tools: ((body['tools'] as readonly { name: string }[] | undefined) ?? []).map(({ name }) => name),
    body,
  };
}
