import type { Ids } from '../../../../kernel/kit/ids.ts';
import { toEarlierText, type Source } from '../../../tools/feature.ts';
import type { EventWriter } from '../event-writer.ts';
import { seal, type Sealed } from './sealed.ts';

export interface ReasoningOptions {
  readonly ids: Ids;
  /** Whether the caller wants to see the reasoning of a model that tells it. */
  readonly showsReasoning: boolean;
  /** Whether the caller is shown what it is to bring back and cannot read. The store has it either way. */
  readonly seals: boolean;
}

interface OpenItem {
  readonly id: string;
  readonly index: number;
  text: string;
}

/** Writes reasoning, and what a model wants back with the results of its calls. */
export class ReasoningItems {
  readonly #writer: EventWriter;
  readonly #options: ReasoningOptions;
  #open: OpenItem | null = null;

  constructor(writer: EventWriter, options: ReasoningOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  push(delta: string): void {
    if (!this.#options.showsReasoning || delta === '') return;
    const item = (this.#open ??= this.#begin());
    item.text += delta;
    this.#writer.emit('response.reasoning_summary_text.delta', { ...placeOf(item), delta });
  }

  end(): void {
    const item = this.#open;
    if (item === null) return;
    this.#open = null;
    const { id, text } = item;
    const part = { type: 'summary_text', text };
    this.#writer.emit('response.reasoning_summary_text.done', { ...placeOf(item), text });
    this.#writer.emit('response.reasoning_summary_part.done', { ...placeOf(item), part });
    this.#writer.end(item.index, this.#toItem(id, [part], null), id);
  }

  /** Before the call that is signed. */
  sign(callId: string, signature: string): void {
    this.#seal({ kind: 'signatures', signatures: { [callId]: signature } });
  }

  /** Before a call whose result the model is to read beside what its searches found. */
  keepFound(sources: readonly Source[]): void {
    if (sources.length > 0) this.#seal({ kind: 'found', text: toEarlierText(sources) });
  }

  #seal(content: Sealed): void {
    const id = `rs_${this.#options.ids.uuid()}`;
    const sealed = seal(content);
    const item = this.#toItem(id, [], sealed);
    this.#writer.end(this.#writer.begin(item), item, id, { ...item, encrypted_content: sealed });
  }

  #begin(): OpenItem {
    const id = `rs_${this.#options.ids.uuid()}`;
    const item = { id, index: this.#writer.begin(this.#toItem(id, [], null)), text: '' };
    const part = { type: 'summary_text', text: '' };
    this.#writer.emit('response.reasoning_summary_part.added', { ...placeOf(item), part });
    return item;
  }

  #toItem(id: string, summary: readonly object[], sealed: string | null) {
    return { type: 'reasoning', id, summary, ...(this.#options.seals && { encrypted_content: sealed }) };
  }
}

function placeOf({ id, index }: OpenItem) {
  return { item_id: id, output_index: index, summary_index: 0 };
}
