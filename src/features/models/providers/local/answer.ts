import type { FinishReason, ModelEvent } from '../../model.ts';
import { StopScanner } from '../../stop-scanner.ts';
import { cutArguments } from '../../tool-arguments.ts';
import { restOf, triggerOf, type AnswerPlan } from './answer-grammar.ts';
import { CallReader } from './calls.ts';
import type { Ending } from './generation.ts';
import type { Thought } from './template.ts';

export interface AnswerOptions {
  readonly plan: AnswerPlan;
  readonly thought: Thought | null;
  readonly inThought: boolean;
  readonly stop: readonly string[];
  readonly parallelToolCalls: boolean;
  /** Returns the same id for the same index, because an answer may be written twice. */
  readonly idOf: (index: number) => string;
}

export class Answer {
  readonly #options: AnswerOptions;
  readonly #trigger: string | null;
  #phase: 'lead' | 'thought' | 'text' | 'calls';
  #held = '';
  #calls: CallReader | null = null;
  #stopped: string | null = null;
  #trims = true;

  constructor(options: AnswerOptions) {
    const { plan, inThought } = options;
    this.#options = options;
    this.#trigger = plan.calls === null || plan.forced ? null : triggerOf(plan.calls);
    this.#phase = inThought ? 'thought' : 'lead';
    if (!inThought && plan.forced) this.#beginCalls();
  }

  get inThought(): boolean {
    return this.#phase === 'thought';
  }

  get isOver(): boolean {
    return this.#stopped !== null || this.#calls?.isOver === true;
  }

  /** Whether the next token is under the grammar. */
  get isBound(): boolean {
    const { grammar, from } = this.#options.plan;
    if (grammar === null || this.#phase === 'thought') return false;
    return from === 'start' || this.#phase === 'calls';
  }

  /** `surplus` is text behind the place where a grammar has to begin: it is not read, and has to be taken back. */
  push(text: string): { readonly events: readonly ModelEvent[]; readonly surplus: string } {
    const events: ModelEvent[] = [];
    const wasBound = this.isBound;
    let rest = this.#held + text;
    this.#held = '';
    for (let behind: string | null = rest; behind !== null;) {
      rest = behind;
      behind = this.#read(rest, events);
      if (behind !== null && !wasBound && this.isBound) return { events, surplus: behind };
    }
    return { events, surplus: '' };
  }

  end(ending: Ending): {
    readonly events: readonly ModelEvent[];
    readonly reason: FinishReason;
    readonly stopSequence: string | null;
  } {
    const events: ModelEvent[] = [];
    if (this.#stopped === null && this.#phase !== 'calls') {
      const type = this.#phase === 'thought' ? 'reasoning-delta' : 'text-delta';
      this.#emit(type, this.#held, events);
    }
    this.#held = '';
    const reason = this.#reason(ending);
    if (this.#calls?.isCut === true) throw cutArguments(reason);
    return { events, reason, stopSequence: this.#stopped };
  }

  #reason(ending: Ending): FinishReason {
    if (this.#stopped !== null) return 'stop-sequence';
    if (this.#calls?.isComplete === true && ending !== 'full') return 'tool-calls';
    if (ending === 'length') return 'length';
    return ending === 'full' ? 'context-full' : 'end';
  }

  /** Returns the text after a change of phase; null when everything was read or is held. */
  #read(text: string, events: ModelEvent[]): string | null {
    switch (this.#phase) {
      case 'lead':
        return this.#readLead(text);
      case 'thought':
        return this.#readThought(text, events);
      case 'text':
        return this.#readText(text, events);
      case 'calls':
        events.push(...(this.#calls?.push(text) ?? []));
        return null;
    }
  }

  /** At the start an answer may be a thought, or a call without a marker. */
  #readLead(text: string): string | null {
    const { thought, plan } = this.#options;
    const begun = text.trimStart();
    const unmarked = plan.calls?.marked === false ? this.#trigger : null;
    if (thought !== null && begun.startsWith(thought.open)) {
      this.#phase = 'thought';
      return begun.slice(thought.open.length);
    }
    if (unmarked !== null && begun.startsWith(unmarked)) {
      this.#beginCalls();
      return begun.slice(unmarked.length);
    }
    if (thought?.open.startsWith(begun) || unmarked?.startsWith(begun)) {
      this.#held = text;
      return null;
    }
    this.#phase = 'text';
    this.#trims = plan.grammar !== null && plan.from === 'start';
    return text;
  }

  #readThought(text: string, events: ModelEvent[]): string | null {
    const { thought, plan } = this.#options;
    const scan = scanFor(text, thought === null ? [] : [thought.close]);
    this.#emit('reasoning-delta', scan.text, events);
    if (scan.found === null) {
      this.#held = scan.left;
      return null;
    }
    this.#trims = true;
    if (plan.forced) this.#beginCalls();
    else this.#phase = 'text';
    return scan.left;
  }

  #readText(text: string, events: ModelEvent[]): string | null {
    const { stop, plan } = this.#options;
    const marker = plan.calls?.marked === true ? this.#trigger : null;
    const scan = scanFor(text, marker === null ? stop : [...stop, marker]);
    // Blanks before a call belong to the template, so the last ones wait until it is known what comes.
    const isCall = scan.found !== null && scan.found === marker;
    const shown = isCall || (marker !== null && scan.found === null) ? scan.text.trimEnd() : scan.text;
    this.#emit('text-delta', shown, events);
    if (scan.found === null) {
      this.#held = scan.text.slice(shown.length) + scan.left;
      return null;
    }
    if (!isCall) {
      this.#stopped = scan.found;
      return null;
    }
    this.#beginCalls();
    return scan.left;
  }

  /** Blanks between a thought and the answer, and before either, belong to the template. */
  #emit(type: 'text-delta' | 'reasoning-delta', text: string, events: ModelEvent[]): void {
    const trimmed = this.#trims ? text.trimStart() : text;
    if (trimmed === '') return;
    this.#trims = false;
    events.push({ type, text: trimmed });
  }

  #beginCalls(): void {
    const { plan, parallelToolCalls, idOf } = this.#options;
    if (plan.calls === null) return;
    this.#phase = 'calls';
    const open = plan.forced ? plan.calls.open : restOf(plan.calls);
    this.#calls = new CallReader(plan.calls, open, parallelToolCalls, idOf);
  }
}

/** Finds the first of these words in a text. `left` is what stands behind it, or what may be the beginning of one. */
function scanFor(text: string, words: readonly string[]) {
  const scanner = new StopScanner(words);
  const { text: before, stop } = scanner.push(text);
  const left = stop === null ? scanner.end() : text.slice(before.length + stop.length);
  return { text: before, found: stop, left };
}
