import { shortId, type Ids } from '../../kernel/kit/ids.ts';

/** Ids of the calls of one answer. A server may send none, or the same one twice. */
export class CallIds {
  readonly #given = new Set<string>();
  readonly #ids: Ids;

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** Whether there was a call. */
  get hasAny(): boolean {
    return this.#given.size > 0;
  }

  /** The id that was sent, or one of our own in its place. */
  take(sent: string): string {
    const id = sent === '' || this.#given.has(sent) ? `call_${shortId(this.#ids)}` : sent;
    this.#given.add(id);
    return id;
  }
}
