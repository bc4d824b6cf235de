import { isJsonObject, type JsonObject } from '../../../../kernel/kit/json.ts';
import { TextChunks } from '../../text-chunks.ts';

/** Where each kind of delta holds its text. */
const textFields: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
]);

/** Events of deltas that differ from the one before in their text alone, without parsing them. */
export class DeltaEvents {
  readonly #texts = new TextChunks();
  #toEvent: ((text: string) => JsonObject) | null = null;

  /** What parsing it would give; null where it has to be parsed. */
  read(data: string): JsonObject | null {
    const text = this.#texts.read(data);
    return text === null ? null : (this.#toEvent?.(text) ?? null);
  }

  /** To be told of each event that was parsed. */
  remember(data: string, event: JsonObject): void {
    const { delta } = event;
    if (event['type'] !== 'content_block_delta' || !isJsonObject(delta)) return;
    const name = textFields.get(delta['type']);
    const text = name === undefined ? undefined : delta[name];
    if (name === undefined || typeof text !== 'string' || !this.#texts.remember(data, name, text)) return;
    this.#toEvent = (other) => ({ ...event, delta: { ...delta, [name]: other } });
  }
}
