import { Fault } from '../../../../kernel/faults.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import type { ModelRequest } from '../../model.ts';
import { planAnswer, type AnswerPlan } from './answer-grammar.ts';
import { toConversation, type Conversation, type TemplateTraits } from './conversation.ts';
import type { LocalModel } from './engine.ts';
import type { Sampling } from './generation.ts';
import type { RunOptions } from './run.ts';
import { thoughtOf } from './template.ts';
import { findToolFormat } from './tool-format.ts';

export interface PrepareDependencies {
  readonly engine: LocalModel;
  readonly ids: Ids;
  /** Unit: tokens. */
  readonly contextTokensMax: number;
}

export function templateTraitsOf({ template, vocabulary, decoding }: LocalModel): TemplateTraits {
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

interface Prompted {
  readonly plan: AnswerPlan;
  readonly spoken: Conversation;
  readonly prompt: readonly number[];
}

/** A request as the model reads it. Throws Fault `invalid_value`. */
export async function promptOf(
  engine: LocalModel,
  traits: TemplateTraits,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Prompted> {
  const plan = planAnswer(request, traits.calls, false);
  const spoken = toConversation(request, traits, plan.grammar !== null && plan.from === 'start');
  const prompt = await engine.vocabulary.ofSegments(spoken.segments, signal);
  return { plan, spoken, prompt };
}

/** All that an answer needs. Throws Fault `context_length_exceeded`, `invalid_value`. */
export async function prepare(
  { engine, ids, contextTokensMax }: PrepareDependencies,
  traits: TemplateTraits,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Omit<RunOptions, 'emit'>> {
  const { plan: wanted, spoken, prompt } = await promptOf(engine, traits, request, signal);
  // Refused, never cut.
  if (prompt.length >= contextTokensMax) {
    const message = `Input length (${prompt.length}) exceeds the local model's maximum context length (${contextTokensMax})`;
    throw new Fault('context_length_exceeded', message, { param: 'messages' });
  }
  // A grammar would have to contain the text of the prefill, so there is none.
  const plan = spoken.prefilled ? { ...wanted, grammar: null, calls: null, forced: false } : wanted;
  const grammar = await compile(engine, traits, request, plan);
  const { thought } = traits;
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
    markers: [thought?.open, thought?.close, plan.calls?.open, plan.calls?.between, plan.calls?.close].join(
      '',
    ),
    answer: {
      plan,
      thought,
      inThought: spoken.inThought,
      stop: [...request.stop, ...spoken.stop],
      parallelToolCalls: request.parallelToolCalls,
      idOf: (index) => (callIds[index] ??= `call_${ids.secret(18)}`),
    },
  };
}

/** A schema may be more than native code takes; JSON of any shape it always takes. */
async function compile(engine: LocalModel, traits: TemplateTraits, request: ModelRequest, plan: AnswerPlan) {
  if (plan.grammar === null) return null;
  try {
    return await engine.compileGrammar(plan.grammar);
  } catch {
    return engine.compileGrammar(planAnswer(request, traits.calls, true).grammar ?? '');
  }
}

/** The defaults of llama.cpp. */
const usual = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05 } as const;

/** The last one means "any" to llama.cpp. */
const seedMax = 0xff_ff_ff_fe;

/** `seed` is drawn where the request names none. */
function samplingOf(request: ModelRequest, seed: () => number): Sampling {
  const { temperature, topP, topK } = request;
  return {
    temperature: Math.max(0, temperature ?? usual.temperature),
    topK: topK ?? usual.topK,
    topP: topP ?? usual.topP,
    // Whoever chose a rule of their own did not ask for ours beside it.
    minP: topP === null && topK === null ? usual.minP : 0,
    presencePenalty: request.presencePenalty ?? 0,
    frequencyPenalty: request.frequencyPenalty ?? 0,
    seed: Math.min(seedMax, (request.seed ?? seed()) >>> 0),
  };
}
