import type { ChatStep } from './events.ts';

/**
 * Writes the reasoning that some models show before their answer: `<think>`, what was done, what the model thought,
 * `</think>`. Contract 9.4. It begins with the model's first word, so that what fails before is no half answer.
 */
export class Preamble {
  readonly #steps: ChatStep[] = [];
  #state: 'waiting' | 'open' | 'closed';

  constructor(isWanted: boolean) {
    this.#state = isWanted ? 'waiting' : 'closed';
  }

  add(step: ChatStep): void {
    this.#steps.push(step);
  }

  /** What a piece of reasoning adds to the text. */
  think(reasoning: string): string {
    if (this.#state === 'closed') return '';
    const first = this.#state === 'waiting' ? `${this.#begin()}\n` : '';
    return first + reasoning.replaceAll('</think>', '');
  }

  #begin(): string {
    if (this.#state !== 'waiting') return '';
    this.#state = 'open';
    const lines = this.#steps.map(toLine);
    return `<think>\n${lines.length === 0 ? 'No search was made for this.' : lines.join('\n')}`;
  }

  /** What has to come before the answer itself. */
  end(): string {
    if (this.#state === 'closed') return '';
    const text = `${this.#begin()}\n</think>\n\n`;
    this.#state = 'closed';
    return text;
  }
}

function toLine(step: ChatStep): string {
  if (step.type === 'read') return `${step.thought} ${step.pages.map(({ title }) => title).join('; ')}`;
  const { thought, queries, results } = step;
  const found = results.length === 1 ? '1 result' : `${results.length} results`;
  return `${thought} Searched for ${queries.map((query) => `“${query}”`).join(', ')}: ${found}.`;
}
