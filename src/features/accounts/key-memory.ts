import type { Clock } from '../../kernel/kit/clock.ts';

/** The last answer of the store about a key. */
export interface Remembered<Value> {
  readonly value: Value;
  /** When the question was sent, by the monotonic clock. */
  readonly askedAt: number;
}

/** Keys that are remembered, good and bad together; the one unused for longest goes first. */
const rememberedMax = 10_000;

/**
 * Remembers answers of the store by key. Questions about one key that come together are one. What was forgotten while
 * a question was under way is not remembered from its answer, which may be older than the reason to forget.
 */
export class KeyMemory<Value> {
  readonly #find: (hash: string) => Promise<Value>;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, Remembered<Value>>();
  readonly #asking = new Map<string, Promise<Value>>();

  constructor(find: (hash: string) => Promise<Value>, clock: Clock) {
    this.#find = find;
    this.#clock = clock;
  }

  last(hash: string): Remembered<Value> | undefined {
    return this.#remembered.get(hash);
  }

  ask(hash: string): Promise<Value> {
    const underWay = this.#asking.get(hash);
    if (underWay !== undefined) return underWay;
    // The answer is as old as the question: what changed while it travelled is not in it.
    const askedAt = this.#clock.monotonic();
    const question: Promise<Value> = this.#find(hash)
      .then((value) => {
        if (this.#asking.get(hash) === question) this.#remember(hash, { value, askedAt });
        return value;
      })
      .finally(() => {
        if (this.#asking.get(hash) === question) this.#asking.delete(hash);
      });
    this.#asking.set(hash, question);
    return question;
  }

  forget(hash: string): void {
    this.#remembered.delete(hash);
    this.#asking.delete(hash);
  }

  /** What the store is being asked at this moment may be as old as what is forgotten, so it is not kept either. */
  forgetWhere(isOld: (value: Value) => boolean): void {
    for (const [hash, { value }] of this.#remembered) if (isOld(value)) this.#remembered.delete(hash);
    this.#asking.clear();
  }

  #remember(hash: string, answer: Remembered<Value>): void {
    this.#remembered.delete(hash);
    this.#remembered.set(hash, answer);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > rememberedMax && oldest !== undefined) this.#remembered.delete(oldest);
  }
}
