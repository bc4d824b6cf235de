import type { TestContext } from 'node:test';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { openOpenAiCompatible } from '../../src/features/models/providers/openai-compatible/index.ts';
import type { RemoteOptions } from '../../src/features/models/remote-server.ts';
import {
  chunk,
  cut,
  data,
  done,
  drip,
  hang,
  startWire,
  usageChunk,
  type WireAnswer,
  type WireHandler,
  type WireStep,
} from '../support/upstream-chat.ts';
import { backendSecret, type Refusal, type Said, type Script, type ScriptedProvider } from './suite.ts';

/** A provider over a server that writes bytes as scripted. */
export async function openChat(t: TestContext, handler: WireHandler, options: Partial<RemoteOptions> = {}) {
  const server = await startWire(t, handler);
  const provider = openOpenAiCompatible(
    {
      name: 'chat',
      baseUrl: server.url,
      key: 'sk-key',
      headers: {},
      models: ['gpt-x'],
      timeoutMs: 10_000,
      totalTimeoutMs: 60_000,
      ...options,
    },
    { clock: systemClock, ids: randomIds, random: () => 0 },
  );
  t.after(() => provider.close());
  return { server, provider };
}

/** Chat completions as OpenAI writes them, for the suite. */
export const chatProvider: ScriptedProvider = {
  name: 'openai-compatible',
  async open(t, answer, timeoutMs, totalTimeoutMs = 60_000) {
    const { server, provider } = await openChat(
      t,
      () => (typeof answer === 'string' ? refuse(answer) : toSteps(answer)),
      { timeoutMs, totalTimeoutMs, ...(answer === 'down' ? { baseUrl: 'http://127.0.0.1:9/v1' } : {}) },
    );
    return { provider, asked: () => server.requests.length, released: server.idle };
  },
};

function toSteps({ says, ends, usage }: Script): WireStep[] {
  let calls = 0;
  const steps: WireStep[] = [
    chunk({ role: 'assistant', content: '' }),
    ...says.flatMap((said) => toChunks(said, 'call' in said ? calls++ : 0)),
  ];
  if (ends === 'cut') return [...steps, cut];
  if (ends === 'silence') return [...steps, hang];
  if (ends === 'drip') return [...steps, drip(': still here\n\n')];
  if (ends === 'endless') return [...steps, drip(chunk({ content: ' more' }))];
  if (ends === 'error')
    return [...steps, data({ error: { message: backendSecret, type: 'server_error' } }), done];
  const finish = {
    end: 'stop',
    length: 'length',
    'tool-calls': 'tool_calls',
    'content-filter': 'content_filter',
  };
  return [...steps, chunk({}, finish[ends]), usageChunk(usage.input, usage.output), done];
}

function toChunks(said: Said, index: number): string[] {
  if ('text' in said) return [chunk({ content: said.text })];
  if ('reasoning' in said) return [chunk({ reasoning_content: said.reasoning })];
  const { id, name, pieces } = said.call;
  const piece = (call: object) => chunk({ tool_calls: [{ index, ...call }] });
  return [
    piece({ id, type: 'function', function: { name, arguments: '' } }),
    ...pieces.map((text) => piece({ function: { arguments: text } })),
  ];
}

function refuse(refusal: Refusal): WireAnswer {
  const error = (status: number, code: string | null, headers: Record<string, string> = {}): WireAnswer => ({
    status,
    headers: { 'content-type': 'application/json', ...headers },
    steps: [JSON.stringify({ error: { message: backendSecret, type: 'error', param: null, code } })],
  });
  switch (refusal) {
    case 'busy':
      return error(429, 'rate_limit_exceeded', { 'retry-after': '7' });
    case 'overloaded':
      return error(503, null, { 'retry-after': '30' });
    case 'broken':
      return error(500, null);
    case 'too-long':
      return error(400, 'context_length_exceeded');
    case 'invalid':
      return error(400, 'invalid_value');
    case 'key':
      return error(401, 'invalid_api_key');
    case 'page':
      return {
        headers: { 'content-type': 'text/html' },
        steps: [`<!doctype html><title>${backendSecret}</title>`],
      };
    case 'drip':
      return { steps: [drip(': still here\n\n')] };
    case 'down':
    case 'hang':
      return { steps: [hang] };
  }
}
