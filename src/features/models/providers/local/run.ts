import type { ModelEvent, ModelUsage } from '../../model.ts';
import { Answer, type AnswerOptions } from './answer.ts';
import type { Decoder } from './decoding.ts';
import type { LocalModel } from './engine.ts';
import type { Ending, Generation, Grammar, GrammarState, Listener, Sampling, Verdict } from './generation.ts';

export interface RunOptions {
  readonly model: LocalModel;
  readonly prompt: readonly number[];
  /** Whose answer it is; the server's own without it. */
  readonly account: string | undefined;
  readonly answer: AnswerOptions;
  readonly grammar: Grammar | null;
  readonly sampling: Sampling;
  readonly tokensMax: number;
  /** Whether `tokensMax` is the end of the context. */
  readonly endsAtContext: boolean;
  /** Markers that may be control tokens and have to be read all the same. */
  readonly markers: string;
  readonly emit: (events: readonly ModelEvent[]) => void;
}

/** Writes one answer, from its prompt to its last event. Rejects as `LocalModel.generate` does. */
export async function run(options: RunOptions, signal: AbortSignal): Promise<void> {
  const { model, prompt, emit } = options;
  let hearing: Hearing | null = null;
  let cached = 0;
  const usage = (): ModelEvent => ({ type: 'usage', usage: usageOf(prompt.length, cached, hearing) });
  const generation: Generation = {
    prompt,
    sampling: options.sampling,
    tokensMax: options.tokensMax,
    listen(known) {
      hearing = new Hearing(options, known);
      return hearing;
    },
    onStart(warm) {
      cached = warm;
      emit([usage()]);
    },
  };
  const ending = await model.generate(generation, signal, options.account);
  const { events, reason, stopSequence } = last(
    hearing,
    ending === 'length' && options.endsAtContext ? 'full' : ending,
  );
  emit([...events, usage(), { type: 'finish', reason, stopSequence }]);
}

function last(hearing: Hearing | null, ending: Ending): ReturnType<Answer['end']> {
  return hearing?.end(ending) ?? { events: [], reason: 'end', stopSequence: null };
}

function usageOf(prompt: number, cached: number, hearing: Hearing | null): ModelUsage {
  return {
    input: prompt - cached,
    cacheRead: cached,
    cacheWrite: 0,
    output: hearing?.heard ?? 0,
    reasoning: hearing?.reasoning ?? 0,
  };
}

class Hearing implements Listener {
  heard = 0;
  reasoning = 0;
  readonly #options: RunOptions;
  /** Tokens whose events were emitted when the answer was written before. */
  readonly #known: number;
  readonly #decoder: Decoder;
  readonly #answer: Answer;
  #state: GrammarState | undefined;

  constructor(options: RunOptions, known: number) {
    this.#options = options;
    this.#known = known;
    this.#decoder = options.model.decoding.begin(options.prompt);
    this.#answer = new Answer(options.answer);
  }

  grammar(): GrammarState | undefined {
    if (!this.#answer.isBound) return undefined;
    this.#state ??= this.#options.grammar?.begin();
    return this.#state;
  }

  hear(token: number): Verdict {
    const thinks = this.#answer.inThought;
    this.heard += 1;
    if (thinks) this.reasoning += 1;
    if (this.#isUnseen(token)) return 'more';
    const alone = !this.#decoder.isHolding();
    const text = this.#decoder.push(token);
    const { events, surplus } = this.#answer.push(text);
    if (this.heard > this.#known) this.#options.emit(events);
    if (this.#answer.isOver) return 'enough';
    // The grammar begins inside this token, so the text after that place is taken back.
    const kept = text.slice(0, text.length - surplus.length);
    return surplus !== '' && alone && kept !== '' ? this.#options.model.vocabulary.ofTemplate(kept) : 'more';
  }

  end(ending: Ending): ReturnType<Answer['end']> {
    const { events } = this.#answer.push(this.#decoder.end());
    const end = this.#answer.end(ending);
    return { ...end, events: [...events, ...end.events] };
  }

  /** Under a grammar every token is part of the text. */
  #isUnseen(token: number): boolean {
    const { decoding } = this.#options.model;
    if (this.#answer.isBound || !decoding.isControl(token)) return false;
    return !this.#options.markers.includes(decoding.textOf([token]));
  }
}
