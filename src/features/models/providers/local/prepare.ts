import { Fault } from '../../../../kernel/faults.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import type { ModelRequest } from '../../model.ts';
import { planAnswer, type AnswerPlan } from './answer-grammar.ts';
import { toConversation, type Conversation, type ConversationParts } from './conversation.ts';
import type { LocalModel } from './engine.ts';
import type { Grammar } from './generation.ts';
import type { RunOptions } from './run.ts';
import { samplingOf } from './sampling.ts';
import { thoughtOf } from './thought.ts';
import { findToolFormat } from './tool-format.ts';

export interface PrepareParts {
  readonly engine: LocalModel;
  readonly ids: Ids;
  /** Unit: tokens. */
  readonly contextTokensMax: number;
}

/** What the template of a model knows; found once. */
export function conversationPartsOf({ template, vocabulary, decoding }: LocalModel): ConversationParts {
  const { source, renderRaw } = template;
  return {
    source,
    render: renderRaw,
    thought: thoughtOf(source),
    calls: renderRaw && findToolFormat({ render: renderRaw, untilEnd }),
    clean: (text) => vocabulary.clean(text),
  };

  function untilEnd(text: string): string | null {
    const tokens = vocabulary.ofTemplate(text);
    const end = tokens.findIndex((token) => decoding.isEnd(token));
    if (end < 0) return null;
    const marker = decoding.textOf(tokens.slice(end, end + 1));
    return text.slice(0, Math.max(0, text.indexOf(marker)));
  }
}

export interface Prompted {
  readonly plan: AnswerPlan;
  readonly spoken: Conversation;
  readonly prompt: readonly number[];
}

/** A request as the model reads it. Throws Fault `invalid_value`. */
export async function promptOf(
  engine: LocalModel,
  parts: ConversationParts,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Prompted> {
  const plan = planAnswer(request, parts.calls, false);
  const spoken = toConversation(request, parts, plan.grammar !== null && plan.from === 'start');
  const prompt = await engine.vocabulary.ofSegments(spoken.segments, signal);
  return { plan, spoken, prompt };
}

/** All that an answer needs. Throws Fault `context_length_exceeded`, `invalid_value`. */
export async function prepare(
  { engine, ids, contextTokensMax }: PrepareParts,
  parts: ConversationParts,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Omit<RunOptions, 'tell'>> {
  const { plan: wished, spoken, prompt } = await promptOf(engine, parts, request, signal);
  checkLength(prompt.length, contextTokensMax);
  // What was said already is no part of the grammar, and would have to be.
  const plan = spoken.prefilled ? { ...wished, grammar: null, calls: null, forced: false } : wished;
  const grammar = await compile(engine, parts, request, plan);
  const room = contextTokensMax - prompt.length;
  const callIds: string[] = [];
  return {
    model: engine,
    prompt,
    account: request.account,
    grammar,
    sampling: samplingOf(request, () => Number.parseInt(ids.uuid().slice(0, 8), 16)),
    tokensMax: Math.max(1, Math.min(request.outputTokensMax ?? room, room)),
    endsAtContext: (request.outputTokensMax ?? room + 1) > room,
    markers: [
      parts.thought?.open,
      parts.thought?.close,
      plan.calls?.open,
      plan.calls?.between,
      plan.calls?.close,
    ].join(''),
    answer: {
      plan,
      thought: parts.thought,
      inThought: spoken.inThought,
      stop: [...request.stop, ...spoken.stop],
      parallelToolCalls: request.parallelToolCalls,
      idOf: (index) => (callIds[index] ??= `call_${ids.secret(18)}`),
    },
  };
}

/** A schema may be more than native code takes; JSON of any shape it always takes. */
async function compile(
  engine: LocalModel,
  parts: ConversationParts,
  request: ModelRequest,
  plan: AnswerPlan,
): Promise<Grammar | null> {
  if (plan.grammar === null) return null;
  try {
    return await engine.compileGrammar(plan.grammar);
  } catch {
    return engine.compileGrammar(planAnswer(request, parts.calls, true).grammar ?? '');
  }
}

/** Refused, never cut. */
function checkLength(tokens: number, most: number): void {
  if (tokens < most) return;
  throw new Fault(
    'context_length_exceeded',
    `Input length (${tokens}) exceeds the local model's maximum context length (${most})`,
    { param: 'messages' },
  );
}
