import type { Citation } from '../events.ts';
import type { RunEvent } from '../live-run.ts';
import type { Ids } from '../../../kernel/kit/ids.ts';

interface Message {
  readonly id: string;
  readonly index: number;
  /** The JSON of a delta before the text. */
  readonly head: string;
  annotations: number;
}

/** Writes the events of one response with their numbers, and keeps the items that have ended. */
export class EventWriter {
  /** Items to which later requests may refer, as JSON. */
  readonly items: { readonly id: string; readonly item: string }[] = [];
  readonly #ids: Ids;
  readonly #toAnnotation: (citation: Citation) => object;
  readonly #output: { readonly index: number; readonly item: object }[] = [];
  #out: RunEvent[] = [];
  #sequence = 0;
  #index = 0;
  #message: Message | null = null;

  /** `toAnnotation` says how the surface tells of a citation. */
  constructor(ids: Ids, toAnnotation: (citation: Citation) => object) {
    this.#ids = ids;
    this.#toAnnotation = toAnnotation;
  }

  /** Items that have ended, in the order in which they began. */
  get output(): readonly object[] {
    return this.#output.toSorted((a, b) => a.index - b.index).map(({ item }) => item);
  }

  /** Events that were not taken yet. */
  take(): readonly RunEvent[] {
    const taken = this.#out;
    this.#out = [];
    return taken;
  }

  /** The next event takes the number of the last one. */
  takeBack(): void {
    this.#sequence--;
  }

  emit(event: string, payload: object): void {
    const sequence = this.#sequence++;
    const data = JSON.stringify({ type: event, sequence_number: sequence, ...payload });
    this.#out.push({ sequence, event, data });
  }

  /** Begins an item; the result is its place in the output. */
  begin(item: object): number {
    const output_index = this.#index++;
    this.emit('response.output_item.added', { output_index, item });
    return output_index;
  }

  /** `kept` is what later requests find under the id, where that is more than what is shown. */
  end(output_index: number, item: object, id: string | null, kept = item): void {
    this.#output.push({ index: output_index, item });
    if (id !== null) this.items.push({ id, item: JSON.stringify(kept) });
    this.emit('response.output_item.done', { output_index, item });
  }

  startMessage(): void {
    const id = `msg_${this.#ids.uuid()}`;
    const index = this.begin(toMessageItem(id, 'in_progress', []));
    const place = `"item_id":${JSON.stringify(id)},"output_index":${index},"content_index":0`;
    this.#message = { id, index, head: place, annotations: 0 };
    this.emit('response.content_part.added', { ...placeOf(this.#message), part: toPart('', []) });
  }

  /** Serialises only the text: most events of a run are these. */
  text(text: string): void {
    const { head } = this.#open();
    const sequence = this.#sequence++;
    const event = 'response.output_text.delta';
    const data = `{"type":"${event}","sequence_number":${sequence},${head},"delta":${JSON.stringify(text)},"logprobs":[]}`;
    this.#out.push({ sequence, event, data });
  }

  cite(citation: Citation): void {
    const message = this.#open();
    const annotation_index = message.annotations++;
    const place = { ...placeOf(message), annotation_index, annotation: this.#toAnnotation(citation) };
    this.emit('response.output_text.annotation.added', place);
  }

  endMessage(text: string, citations: readonly Citation[]): void {
    const message = this.#open();
    this.#message = null;
    const part = toPart(text, citations.map(this.#toAnnotation));
    this.emit('response.output_text.done', { ...placeOf(message), text, logprobs: [] });
    this.emit('response.content_part.done', { ...placeOf(message), part });
    this.end(message.index, toMessageItem(message.id, 'completed', [part]), message.id);
  }

  #open(): Message {
    if (this.#message === null) throw new Error('text outside of a message');
    return this.#message;
  }
}

function placeOf({ id, index }: Message) {
  return { item_id: id, output_index: index, content_index: 0 };
}

function toMessageItem(id: string, status: string, content: readonly object[]) {
  return { type: 'message', id, role: 'assistant', status, content };
}

function toPart(text: string, annotations: readonly object[]) {
  return { type: 'output_text', text, annotations, logprobs: [] };
}

export function toUrlCitation({ start, end, url, title }: Citation) {
  return { type: 'url_citation' as const, start_index: start, end_index: end, url, title };
}
