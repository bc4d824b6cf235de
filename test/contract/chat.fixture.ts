import assert from 'node:assert/strict';
import type { ModelRequest } from '../../src/features/models/model.ts';
import { ChatResponse } from '../../src/features/chat/wire/chat-response.ts';
import { finish, says, text, type Script } from '../support/models.ts';
import { assertMatches } from '../support/strict.ts';

export const ask = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: 'What is a kea?' }],
  ...more,
});

export const kea = says([text('The kea')], [text(' is a parrot [1] [7].')], finish());

export interface Reply {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly {
    readonly finish_reason: string;
    readonly delta: unknown;
    readonly message: {
      readonly content: string;
      readonly reasoning_steps?: readonly { readonly type: string; readonly thought: string }[];
      readonly tool_calls?: readonly unknown[];
    };
  }[];
  readonly usage: Record<string, number> & { readonly cost: Record<string, number> };
  readonly citations?: readonly string[];
  readonly search_results: readonly {
    readonly url: string;
    readonly source: string;
    readonly snippet: string;
  }[];
  readonly images?: readonly unknown[];
  readonly videos?: readonly unknown[];
  readonly related_questions?: readonly string[];
}

export async function good(response: Response): Promise<Reply> {
  const body = (await response.json()) as Reply;
  assert.equal(response.status, 200, JSON.stringify(body));
  assertMatches(ChatResponse, body, 'a completion');
  return body;
}

export const contentOf = ({ choices }: Reply) => choices[0]?.message.content ?? '';

/** Answers plans with JSON and everything else with the script. */
export function plans(plan: (request: ModelRequest, count: number) => object | null, answer: Script): Script {
  let count = 0;
  return (request, signal) => {
    const isPlan = request.format.type === 'json-schema' && request.format.name === 'answer';
    if (!isPlan) return answer(request, signal);
    const told = plan(request, count++);
    const said = told === null ? 'I cannot say.' : JSON.stringify(told);
    return says([text(said)], finish())(request, signal);
  };
}

export const systemOf = (request: ModelRequest | undefined) => request?.system.join('\n') ?? '';
