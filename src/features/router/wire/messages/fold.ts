import { Fault } from '../../../../kernel/faults.ts';
import type { FinishReason, ModelEvent, ModelUsage } from '../../../models/feature.ts';
import { parseArguments } from '../router.ts';

type Finish = Extract<ModelEvent, { type: 'finish' }>;

const stopReasons: Readonly<Record<FinishReason, string>> = {
  end: 'end_turn',
  length: 'max_tokens',
  'stop-sequence': 'stop_sequence',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  'context-full': 'model_context_window_exceeded',
};

/** How a reply ended. With one stop sequence it is known which one did, also when the backend does not say. */
export function toStop({ reason, stopSequence }: Finish, hasCalls: boolean, asked: readonly string[]) {
  const ended = hasCalls && reason === 'end' ? 'tool-calls' : reason;
  const only = asked.length === 1 ? (asked[0] ?? null) : null;
  return {
    stop_reason: stopReasons[ended],
    stop_sequence: ended === 'stop-sequence' ? (stopSequence ?? only) : null,
  };
}

export function toUsage({ input, output, cacheRead, cacheWrite }: ModelUsage) {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
  };
}

/** A reply as far as it is known before its first block. */
export function toMessage(id: string, model: string, usage: ModelUsage) {
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
    usage: { ...toUsage(usage), cache_creation: null, server_tool_use: null, service_tier: null },
  };
}

const ownToolId = /^toolu_[0-9A-Za-z]{24}$/;

/** The id under which a call is told. What the backend wrote is kept where it has the form that clients expect. */
export function toToolId(
  { id, signature }: Extract<ModelEvent, { type: 'tool-call-start' }>,
  { newId, onSigned }: MessageStart,
): string {
  const told = ownToolId.test(id) ? id : newId('toolu_');
  if (signature !== undefined) onSigned(told, signature);
  return told;
}

export const brokenArguments = () =>
  new Fault('bad_gateway', undefined, { cause: new Error('arguments of a call are no JSON object') });

export interface MessageStart {
  readonly id: string;
  /** As the caller named it. */
  readonly model: string;
  readonly stop: readonly string[];
  readonly newId: (prefix: string) => string;
  /** Called with the id of each call that its model signed. */
  readonly onSigned: (id: string, signature: string) => void;
}

type Block = { readonly kind: 'text'; text: string } | ToolBlock;
interface ToolBlock {
  readonly kind: 'tool';
  readonly id: string;
  readonly name: string;
  text: string;
}

/** Puts the events of a stream together to one message. Throws Fault `bad_gateway` for calls that cannot be read. */
export function createMessageFold(start: MessageStart): {
  push(batch: readonly ModelEvent[]): void;
  end(usage: ModelUsage): object;
} {
  const blocks: Block[] = [];
  const calls = new Map<string, ToolBlock>();
  let finish: Finish | null = null;
  const push = (event: ModelEvent): void => {
    switch (event.type) {
      case 'text-delta': {
        const last = blocks.at(-1);
        if (last?.kind === 'text') last.text += event.text;
        else if (event.text !== '') blocks.push({ kind: 'text', text: event.text });
        return;
      }
      case 'tool-call-start': {
        const block: Block = {
          kind: 'tool',
          id: toToolId(event, start),
          name: event.name,
          text: '',
        };
        blocks.push(block);
        calls.set(event.id, block);
        return;
      }
      case 'tool-call-delta': {
        const block = calls.get(event.id);
        if (block) block.text += event.arguments;
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
      return {
        ...toMessage(start.id, start.model, usage),
        content: blocks.map(toContent),
        ...toStop(finish, calls.size > 0, start.stop),
      };
    },
  };
}

function toContent(block: Block): object {
  if (block.kind === 'text') return { type: 'text', text: block.text, citations: null };
  const { id, name, text } = block;
  const input = parseArguments(text);
  if (input === null) throw brokenArguments();
  return { type: 'tool_use', id, name, input };
}
