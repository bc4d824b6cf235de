import type { FinishReason, ModelUsage } from '../../../models/feature.ts';
import type { AnswerStart, CallStart, CollectedAnswer, Finish } from '../answer.ts';

const finishReasons: Readonly<Record<FinishReason, string>> = {
  end: 'stop',
  length: 'length',
  'stop-sequence': 'stop',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  'context-full': 'length',
};

export function toFinishReason({ reason }: Finish, hasCalls: boolean): string {
  return hasCalls && reason === 'end' ? 'tool_calls' : finishReasons[reason];
}

export function toUsage({ input, output, cacheRead, cacheWrite, reasoning }: ModelUsage) {
  const prompt = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

export interface ChatStart extends AnswerStart {
  /** Unix time in seconds. */
  readonly created: number;
}

/** The id of the backend, or a new one for a call whose signature is kept under it. */
export function toCallId({ id, signature }: CallStart, { newId, onSigned }: ChatStart): string {
  if (signature === undefined) return id;
  const own = newId('call_');
  onSigned(own, signature);
  return own;
}

/** A complete answer as one completion. Throws Fault `bad_gateway` for an answer without an end. */
export function toCompletion({ id, created, model }: ChatStart, answer: CollectedAnswer, usage: ModelUsage) {
  const { finish, calls } = answer;
  const content = answer.blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('');
  const tool_calls = calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.text || '{}' },
  }));
  const hasCalls = calls.length > 0;
  const message = {
    role: 'assistant',
    content: content === '' && hasCalls ? null : content,
    refusal: null,
    ...(hasCalls && { tool_calls }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: toFinishReason(finish, hasCalls) };
  // Clients of OpenRouter refuse a reply without the fingerprint. Null, because it would reveal the backend.
  const head = { id, object: 'chat.completion', created, model };
  return { ...head, choices: [choice], usage: toUsage(usage), system_fingerprint: null };
}
