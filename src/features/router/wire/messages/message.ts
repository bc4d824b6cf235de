import { Fault } from '../../../../kernel/faults.ts';
import { isJsonObject, JsonError, type JsonObject } from '../../../../kernel/kit/json.ts';
import { parseExact } from '../../../../kernel/kit/json-exact.ts';
import { parseJson } from '../../../../kernel/kit/json-parse.ts';
import type { FinishReason, ModelUsage } from '../../../models/feature.ts';
import type { AnswerStart, Block, CallStart, CollectedAnswer, Finish, Thoughts } from '../answer.ts';

const stopReasons: Readonly<Record<FinishReason, string>> = {
  end: 'end_turn',
  length: 'max_tokens',
  'stop-sequence': 'stop_sequence',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  'context-full': 'model_context_window_exceeded',
};

/** Why an answer ended. Of a single stop sequence it is clear that it matched, even when the backend does not report it. */
export function toStop({ reason, stopSequence }: Finish, hasCalls: boolean, asked: readonly string[]) {
  const ended = hasCalls && reason === 'end' ? 'tool-calls' : reason;
  const only = asked.length === 1 ? (asked[0] ?? null) : null;
  return {
    stop_reason: stopReasons[ended],
    stop_sequence: ended === 'stop-sequence' ? (stopSequence ?? only) : null,
  };
}

function toUsage({ input, output, cacheRead, cacheWrite }: ModelUsage) {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
  };
}

export interface MessageStart extends AnswerStart {
  /** The stop sequences that were asked for. */
  readonly stop: readonly string[];
  readonly thoughts: Thoughts;
}

const detailsOf = ({ thoughts }: MessageStart, { reasoning }: ModelUsage) =>
  thoughts !== 'dropped' && { output_tokens_details: { thinking_tokens: reasoning } };

/** What is known of a message after its last block. */
export function toMessageEnd(start: MessageStart, usage: ModelUsage) {
  return { usage: { ...toUsage(usage), ...detailsOf(start, usage) } };
}

/** A message as it is known before its first block. */
export function toMessage(start: MessageStart, usage: ModelUsage) {
  const { id, model } = start;
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [] as readonly object[],
    stop_reason: null as string | null,
    stop_sequence: null as string | null,
    stop_details: null,
    container: null,
    usage: {
      ...toUsage(usage),
      cache_creation: null,
      server_tool_use: null,
      service_tier: null,
      ...detailsOf(start, usage),
    },
  };
}

const ownToolId = /^toolu_[0-9A-Za-z]{24}$/;

/** The id of the backend where it has the form that clients expect, else a new one. */
export function toToolId({ id, signature }: CallStart, { newId, onSigned }: MessageStart): string {
  const own = ownToolId.test(id) ? id : newId('toolu_');
  if (signature !== undefined) onSigned(own, signature);
  return own;
}

export const brokenArguments = () =>
  new Fault('bad_gateway', undefined, { cause: new Error('arguments of a call are no JSON object') });

/** A complete answer as one message. Throws Fault `bad_gateway` for calls that cannot be read, or without an end. */
export function toWholeMessage(start: MessageStart, answer: CollectedAnswer, usage: ModelUsage) {
  const { finish, blocks, calls } = answer;
  return {
    ...toMessage(start, usage),
    content: blocks.map(toContent),
    ...toStop(finish, calls.length > 0, start.stop),
  };
}

function toContent(block: Block): object {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: block.text, citations: null };
    case 'thought': {
      const { text, signature } = block;
      if (text === null) return { type: 'redacted_thinking', data: signature };
      return { type: 'thinking', thinking: text, signature: signature ?? '' };
    }
    case 'call': {
      const { id, name, text } = block;
      const input = parseArguments(text);
      if (input === null) throw brokenArguments();
      return { type: 'tool_use', id, name, input };
    }
  }
}

const argumentsDepthMax = 64;

/** The arguments of a call; null for a text that is no JSON object. */
export function parseArguments(text: string): JsonObject | null {
  if (text === '' || text === '{}') return {};
  try {
    checkArguments(text);
    const value = parseExact(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Against the rules for JSON. A name that stands twice is within them. Throws JsonError. */
function checkArguments(text: string): void {
  try {
    parseJson(Buffer.from(text), { depthMax: argumentsDepthMax });
  } catch (error) {
    if (!(error instanceof JsonError) || error.kind !== 'duplicate') throw error;
  }
}
