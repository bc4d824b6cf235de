import type { ServerSentEvent } from '../../../../../kernel/kit/sse.ts';
import { inSeal } from '../server-blocks.ts';

type Block = Record<string, unknown>;

/** Writes the blocks of a message one after the other, as events and as the content that they add up to. */
export class BlockWriter {
  readonly content: Block[] = [];
  #open: Block | null = null;
  #out: ServerSentEvent[] = [];

  /** Events that were not taken yet. */
  take(): readonly ServerSentEvent[] {
    const taken = this.#out;
    this.#out = [];
    return taken;
  }

  emit(event: string, payload: object): void {
    this.#out.push({ event, data: JSON.stringify({ type: event, ...payload }) });
  }

  /** A block that is known as a whole. */
  whole(block: Block): void {
    this.#begin(block);
    this.end();
  }

  text(piece: string): void {
    const block = this.#of({ type: 'text', text: '', citations: null });
    block['text'] = `${String(block['text'])}${piece}`;
    this.#delta({ type: 'text_delta', text: piece });
  }

  cite({ url, title }: { readonly url: string; readonly title: string }, source: string): void {
    const citation = {
      type: 'web_search_result_location',
      url,
      title,
      encrypted_index: inSeal(url),
      cited_text: source.slice(0, citedMax),
    };
    const block = this.#of({ type: 'text', text: '', citations: null });
    block['citations'] = [...((block['citations'] as object[] | null) ?? []), citation];
    this.#delta({ type: 'citations_delta', citation });
  }

  think(piece: string): void {
    const block = this.#of({ type: 'thinking', thinking: '', signature: '' });
    block['thinking'] = `${String(block['thinking'])}${piece}`;
    this.#delta({ type: 'thinking_delta', thinking: piece });
  }

  /** A call, with all of its arguments. */
  call(block: Block & { readonly input: object }): void {
    this.#begin({ ...block, input: {} });
    this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) });
    this.content[this.content.length - 1] = block;
    this.end();
  }

  end(): void {
    if (this.#open === null) return;
    this.emit('content_block_stop', { index: this.content.length - 1 });
    this.#open = null;
  }

  /** The open block where it is of the same type, else this one, begun. */
  #of(block: Block): Block {
    const open = this.#open;
    return open !== null && open['type'] === block['type'] ? open : this.#begin(block);
  }

  #begin(block: Block): Block {
    this.end();
    const index = this.content.push(block) - 1;
    this.emit('content_block_start', { index, content_block: block });
    this.#open = block;
    return block;
  }

  #delta(delta: object): void {
    this.emit('content_block_delta', { index: this.content.length - 1, delta });
  }
}

/** As much as Anthropic quotes. */
const citedMax = 150;
