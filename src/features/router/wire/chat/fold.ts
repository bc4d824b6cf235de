import { Fault } from '../../../../kernel/faults.ts';
import type { FinishReason, ModelEvent, ModelUsage } from '../../../models/feature.ts';

type Finish = Extract<ModelEvent, { type: 'finish' }>;

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

export interface ChatStart {
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  /** As the caller named it. */
  readonly model: string;
  readonly newId: (prefix: string) => string;
  /** Called with the id of each call that its model signed. */
  readonly onSigned: (id: string, signature: string) => void;
}

/** The id under which a call is told: that of the backend, or an own one where something is kept under it. */
export function toCallId(
  { id, signature }: Extract<ModelEvent, { type: 'tool-call-start' }>,
  { newId, onSigned }: ChatStart,
): string {
  if (signature === undefined) return id;
  const told = newId('call_');
  onSigned(told, signature);
  return told;
}

interface Call {
  readonly id: string;
  readonly name: string;
  text: string;
}

/** Puts the events of a stream together to one completion. Throws Fault `bad_gateway` where the end is missing. */
export function createChatFold(start: ChatStart): {
  push(batch: readonly ModelEvent[]): void;
  end(usage: ModelUsage): object;
} {
  const { id, created, model } = start;
  let content = '';
  const calls = new Map<string, Call>();
  let finish: Finish | null = null;
  const push = (event: ModelEvent): void => {
    switch (event.type) {
      case 'text-delta':
        content += event.text;
        return;
      case 'tool-call-start':
        calls.set(event.id, { id: toCallId(event, start), name: event.name, text: '' });
        return;
      case 'tool-call-delta': {
        const call = calls.get(event.id);
        if (call) call.text += event.arguments;
        return;
      }
      case 'finish':
        finish = event;
        return;
      case 'reasoning-delta':
      case 'tool-call-end':
      case 'usage':
    }
  };
  return {
    push(batch) {
      for (const event of batch) push(event);
    },
    end(usage) {
      if (finish === null) throw new Fault('bad_gateway');
      const tool_calls = [...calls.values()].map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: call.text || '{}' },
      }));
      const message = {
        role: 'assistant',
        content: content === '' && tool_calls.length > 0 ? null : content,
        refusal: null,
      };
      const choice = {
        index: 0,
        message: tool_calls.length > 0 ? { ...message, tool_calls } : message,
        logprobs: null,
        finish_reason: toFinishReason(finish, calls.size > 0),
      };
      // Clients of OpenRouter refuse a reply without the fingerprint; where a model runs is nobody's business here.
      const head = { id, object: 'chat.completion', created, model };
      return { ...head, choices: [choice], usage: toUsage(usage), system_fingerprint: null };
    },
  };
}
