import type { ChatEvent, ChatSource, ChatUsage, ReasoningStep } from '../../parts/answers/chat-wire.ts';

/** A question and its answer so far. */
export interface Turn {
  readonly id: number;
  readonly question: string;
  /** Without what makes it a stream. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly status: 'waiting' | 'answering' | 'complete' | 'stopped' | 'failed';
  readonly steps: readonly ReasoningStep[];
  readonly sources: readonly ChatSource[];
  /** With the reasoning in front, as it is sent. */
  readonly text: string;
  /** The answer was cut at the limit of tokens. */
  readonly isCut: boolean;
  readonly related: readonly string[];
  readonly usage: ChatUsage | null;
  readonly failure: unknown;
}

export function createTurn(id: number, question: string, request: Turn['request']): Turn {
  return {
    id,
    question,
    request,
    status: 'waiting',
    steps: [],
    sources: [],
    text: '',
    isCut: false,
    related: [],
    usage: null,
    failure: null,
  };
}

export function isUnderWay({ status }: Turn): boolean {
  return status === 'waiting' || status === 'answering';
}

/** The turn after one event of a stream with `stream_mode: concise`. */
export function addEvent(turn: Turn, event: ChatEvent): Turn {
  const [choice] = event.choices;
  const delta = choice?.delta;
  const message = choice?.message;
  const sources = event.search_results ?? turn.sources;
  switch (event.object) {
    case 'chat.reasoning':
      return { ...turn, steps: [...turn.steps, ...(delta?.reasoning_steps ?? [])] };
    case 'chat.reasoning.done':
      return { ...turn, status: 'answering', sources };
    case 'chat.completion.chunk':
      return { ...turn, status: 'answering', text: turn.text + (delta?.content ?? '') };
    case 'chat.completion.done':
      return {
        ...turn,
        status: 'complete',
        sources,
        text: message?.content ?? turn.text,
        steps: message?.reasoning_steps ?? turn.steps,
        isCut: choice?.finish_reason === 'length',
        related: event.related_questions ?? [],
        usage: event.usage ?? null,
      };
    default:
      return turn;
  }
}

/** The turn after its stream ended. */
export function endTurn(turn: Turn, failure: unknown, isStopped: boolean): Turn {
  if (!isUnderWay(turn)) return turn;
  if (isStopped) return { ...turn, status: 'stopped' };
  return { ...turn, status: 'failed', failure: failure ?? new Error('The answer broke off.') };
}
