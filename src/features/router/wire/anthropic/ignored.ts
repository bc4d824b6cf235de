import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import type { CacheMark, CatalogEntry } from '../../../models/feature.ts';

/** What a request holds that does not reach the model, by dotted path, and the marks of its blocks. */
export class Ignored {
  readonly marks = new Map<object, CacheMark>();
  readonly #paths: string[] = [];
  /** Ignored unless the backend has a cache of prompts. */
  readonly #marked: string[] = [];
  /** Ignored unless the backend has all of the wire. */
  readonly #fields: string[] = [];

  add(path: string): void {
    this.#paths.push(path);
  }

  addField(path: string): void {
    this.#fields.push(path);
  }

  /** The mark that a block was sent with. */
  markOf(sent: object, path: string): CacheMark | null {
    const { cache_control: mark = null } = sent as { readonly cache_control?: Json };
    if (mark === null) return null;
    if (!isJsonObject(mark) || mark['type'] !== 'ephemeral') {
      this.add(`${path}.cache_control`);
      return null;
    }
    this.#marked.push(`${path}.cache_control`);
    return mark['ttl'] === '1h' ? '1h' : '5m';
  }

  /** The block, which keeps the mark that it was sent with. */
  marked<Block extends object>(block: Block, sent: object, path: string): Block {
    const mark = this.markOf(sent, path);
    if (mark !== null) this.marks.set(block, mark);
    return block;
  }

  /** Everything that did not reach this model. */
  of({
    capabilities: { promptCache, messagesFields },
  }: Pick<CatalogEntry, 'capabilities'>): readonly string[] {
    return [
      ...this.#paths,
      ...(messagesFields === true ? [] : this.#fields),
      ...(promptCache === true ? [] : this.#marked),
    ];
  }
}
