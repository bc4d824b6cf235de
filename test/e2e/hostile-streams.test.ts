import Anthropic from '@anthropic-ai/sdk';
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import OpenAI from 'openai';
import { hostileMessages } from '../models/hostile-messages.fixture.ts';
import { hostileStreams } from '../models/hostile-streams.fixture.ts';
import { variationsOf } from '../support/rounds.ts';
import { startServer } from '../support/server.ts';
import { startWire } from '../support/upstream-chat.ts';

const streams = [...hostileStreams, ...hostileMessages];

/** Stock clients on every surface, streamed and whole, in front of a server that writes as no server should. */

const wire = await startWire({ after }, ({ body }) => {
  const [asked] = /stream number \d+/.exec(JSON.stringify(body['messages'])) ?? [''];
  return streams[Number(asked.slice('stream number '.length))]?.steps ?? [];
});
const server = await startServer(
  { after },
  {
    config: JSON.stringify({
      providers: [
        { name: 'open', type: 'openai-compatible', base_url: wire.url, key: 'k', models: [{ id: 'x' }] },
        { name: 'typed', type: 'anthropic', base_url: wire.url, key: 'k', models: [{ id: 'x' }] },
      ],
      models: { 'svc-pro': ['open/x'], 'svc-reasoning-pro': ['typed/x'] },
      rate_limits: { enabled: false },
    }),
  },
);

const options = { apiKey: server.key, maxRetries: 0 };
const anthropic = new Anthropic({ ...options, baseURL: `${server.url}/router` });
const own = new Anthropic({ ...options, baseURL: `${server.url}/anthropic` });
const router = new OpenAI({ ...options, baseURL: `${server.url}/router/v1` });
const agent = new OpenAI({ ...options, baseURL: `${server.url}/v1` });
const chat = new OpenAI({ ...options, baseURL: server.url });

type Said = readonly (string | readonly [name: string, input: unknown])[];

const names = ['weather', 'now', 'now_in'];
const parameters = { type: 'object' } as const;
const functions = names.map((name) => ({
  type: 'function' as const,
  function: { name, description: name, parameters },
}));
const asked = (content: string) => [{ role: 'user' as const, content }];

type Surface = (model: string, question: string, isStreamed: boolean) => Promise<Said>;

/** A question through the Messages client, at one of its two addresses. */
function ask(client: Anthropic): Surface {
  return async (model, question, isStreamed) => {
    const body = {
      model,
      max_tokens: 1_000,
      messages: asked(question),
      stop_sequences: ['END'],
      tools: names.map((name) => ({ name, description: name, input_schema: parameters })),
    };
    const { content, stop_reason: reason } = isStreamed
      ? await client.messages.stream(body).finalMessage()
      : await client.messages.create(body);
    const said = content.flatMap((block): Said => {
      if (block.type === 'text') return [block.text];
      return block.type === 'tool_use' && reason !== 'refusal' ? [[block.name, block.input]] : [];
    });
    return said;
  };
}

const surfaces: Readonly<Record<string, Surface>> = {
  Messages: ask(anthropic),
  'clients of Anthropic': ask(own),
  'chat completions': (model, question, isStreamed) =>
    complete(router, { model, messages: asked(question), stop: ['END'], tools: functions }, isStreamed),
  async responses(model, question, isStreamed) {
    const tools = functions.map(({ function: { name } }) => ({
      type: 'function' as const,
      name,
      description: name,
      parameters,
      strict: false,
    }));
    const body = { model, input: question, tools };
    const { output, error, status } = isStreamed
      ? await agent.responses.stream(body).finalResponse()
      : await agent.responses.create(body);
    if (error !== null) throw new Error(error.message);
    return output.flatMap((item): Said => {
      if (item.type === 'function_call' && (status as string) === 'requires_action')
        return [[item.name, JSON.parse(item.arguments)]];
      if (item.type !== 'message') return [];
      return [item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join('')];
    });
  },
  chat: (model, question, isStreamed) =>
    complete(
      chat,
      {
        model: model === 'open/x' ? 'svc-pro' : 'svc-reasoning-pro',
        messages: asked(question),
        stop: ['END'],
        tools: functions,
        disable_search: true,
      } as OpenAI.ChatCompletionCreateParamsNonStreaming,
      isStreamed,
    ),
};

async function complete(
  client: OpenAI,
  body: OpenAI.ChatCompletionCreateParamsNonStreaming,
  isStreamed: boolean,
): Promise<Said> {
  const { content, reason, calls } = isStreamed
    ? await readStream(await client.chat.completions.create({ ...body, stream: true }))
    : readWhole(await client.chat.completions.create(body));
  return runnable(reason, [...(content === '' ? [] : [content]), ...calls]);
}

interface Completion {
  readonly content: string;
  readonly reason: string | null;
  readonly calls: readonly (readonly [name: string, args: string])[];
}

function readWhole({ choices }: OpenAI.ChatCompletion): Completion {
  const [choice] = choices;
  const { content = '', tool_calls: calls = [] } = choice?.message ?? {};
  return {
    content: (content ?? '').replace(/^<think>[^]*?<\/think>\s*/, ''),
    reason: choice?.finish_reason ?? null,
    calls: calls.flatMap((call) =>
      call.type === 'function' ? [[call.function.name, call.function.arguments] as const] : [],
    ),
  };
}

async function readStream(chunks: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<Completion> {
  const calls: [name: string, args: string][] = [];
  let [content, reason]: [string, string | null] = ['', null];
  for await (const { choices } of chunks) {
    const [choice] = choices;
    content += choice?.delta.content ?? '';
    reason = choice?.finish_reason ?? reason;
    for (const { index, function: piece } of choice?.delta.tool_calls ?? []) {
      const call = (calls[index] ??= ['', '']);
      call[0] += piece?.name ?? '';
      call[1] += piece?.arguments ?? '';
    }
  }
  return { content: content.replace(/^<think>[^]*?<\/think>\s*/, ''), reason, calls };
}

/** A client runs the calls of an answer that ended for them. */
function runnable(
  reason: string | null,
  said: readonly (string | readonly [name: string, args: string])[],
): Said {
  return said.flatMap((one): Said => {
    if (typeof one === 'string') return [one];
    return reason !== 'tool_calls' ? [] : [[one[0], JSON.parse(one[1])]];
  });
}

/** On these surfaces an answer is one text and then its calls. */
function flattened(said: Said): Said {
  const text = said.filter((one) => typeof one === 'string').join('');
  return [...(text === '' ? [] : [text]), ...said.filter((one) => typeof one !== 'string')];
}

for (const [surface, ask] of Object.entries(surfaces)) {
  for (const isStreamed of [true, false]) {
    suite(`${surface}, ${isStreamed ? 'streamed' : 'whole'}`, () => {
      for (const stream of variationsOf(streams, 10)) {
        test(stream.about, async () => {
          const at = streams.indexOf(stream);
          const model = at < hostileStreams.length ? 'open/x' : 'typed/x';
          const answer = ask(model, `stream number ${at}`, isStreamed);
          if (stream.said === null) return assert.rejects(answer);
          const wanted = stream.said.map((one) =>
            typeof one === 'string' ? one : ([one[0], JSON.parse(one[1])] as const),
          );
          const isFlat = surface.startsWith('chat');
          const isRun = stream.reason !== 'content-filter';
          const heard = wanted.filter((one) => isRun || typeof one === 'string');
          assert.deepEqual(await answer, isFlat ? flattened(heard) : heard);
        });
      }
    });
  }
}
