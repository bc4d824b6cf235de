import type { TestContext } from 'node:test';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import type { JsonObject } from '../../src/kernel/kit/json.ts';
import type { Provider } from '../../src/features/models/model.ts';
import { openAiSdk, type AiSdkOptions } from '../../src/features/models/providers/ai-sdk/index.ts';
import { data, done, type WireAnswer } from './upstream-chat.ts';

/** The bridge with the Mistral package, over a server at an address. */
export async function openMistral(
  t: TestContext,
  url: string,
  change: Partial<AiSdkOptions> = {},
): Promise<Provider> {
  const provider = await openAiSdk(
    {
      name: 'mistral',
      package: '@ai-sdk/mistral',
      baseUrl: url,
      key: 'key-of-the-operator',
      headers: {},
      models: ['mistral-small-latest'],
      timeoutMs: 20_000,
      totalTimeoutMs: 60_000,
      folders: [],
      ...change,
    },
    { clock: systemClock, ids: randomIds, random: () => 0 },
  );
  t.after(() => provider.close());
  return provider;
}

/** One chunk as Mistral frames it. */
export function mistralChunk(delta: JsonObject, finish: string | null = null, usage?: JsonObject): string {
  return data({
    id: 'cmpl-1',
    object: 'chat.completion.chunk',
    created: 1_763_650_000,
    model: 'mistral-small-latest',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(usage !== undefined && { usage }),
  });
}

export function mistralUsage(input: number, output: number): JsonObject {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

export function mistralError(
  message: string,
  status: number,
  headers: Record<string, string> = {},
): WireAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    steps: [JSON.stringify({ object: 'error', message, type: 'error', param: null, code: null })],
  };
}

export function mistralAnswer(...texts: readonly string[]): { readonly steps: readonly string[] } {
  return {
    steps: [
      mistralChunk({ role: 'assistant', content: '' }),
      ...texts.map((content) => mistralChunk({ content })),
      mistralChunk({ content: '' }, 'stop', mistralUsage(10, 5)),
      done,
    ],
  };
}
