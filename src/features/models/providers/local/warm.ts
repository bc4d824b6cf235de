import { ownAccount } from '../../../../kernel/kit/caller.ts';
import { FairQueue } from '../../../../kernel/kit/fair-queue.ts';
import type { Ending, Generation } from './generation.ts';
import type { Lane, NextToken } from './lane.ts';
import { abandon, Slots, type Layout, type Slot } from './slots.ts';
import { Writing } from './writing.ts';
import type { Step } from './turns.ts';

/** Evaluate the prefix once, then each suffix on its own behind it, and read each one's last token. */
export interface Reading {
  readonly prefix: readonly number[];
  readonly suffixes: readonly Suffix[];
}

export interface Suffix {
  /** At least one. */
  readonly tokens: readonly number[];
  /** Distinct tokens whose logits are wanted. */
  readonly ask: readonly number[];
}

/**
 * Lanes that keep the prefixes of earlier readings. Answers do not depend on what is warm: prefixes are always cut
 * into the same chunks from the start, a suffix never shares a chunk with its prefix, and of a prefix that only
 * begins alike only whole chunks are used. (Without this p moved by up to 5e-3 between a cold and a warm answer.)
 */
export class WarmLanes {
  readonly #slots: Slots;
  readonly #chunk: number;
  /** Most tokens that a prefix and a suffix may have together. */
  readonly tokensMax: number;
  #evaluated = 0;
  #uses = 0;
  readonly #waiting = new FairQueue<Writing>();

  constructor(layouts: readonly Layout[], chunk: number, open: (layout: Layout) => Promise<readonly Lane[]>) {
    this.#slots = new Slots(layouts, chunk, open);
    this.#chunk = chunk;
    this.tokensMax = Math.max(0, ...layouts.map(({ size }) => size));
  }

  /** Evaluated since the start. Unit: tokens. */
  get evaluated(): number {
    return this.#evaluated;
  }

  async *read(
    { prefix, suffixes }: Reading,
    account = ownAccount,
  ): AsyncGenerator<Step, readonly NextToken[], void> {
    const me = {};
    const results: NextToken[] = [];
    let slot: Slot | null = null;
    let lease: readonly number[] | null = null;
    try {
      for (let suffix = suffixes[0]; suffix !== undefined; suffix = suffixes[results.length]) {
        await this.#slots.makeRoom(prefix.length + suffix.tokens.length);
        if (slot === null || slot.prefix !== lease) {
          slot = this.#slots.take(prefix, account);
          lease = slot?.prefix ?? null;
        }
        if (slot === null || slot.reader !== null) {
          yield 'blocked';
        } else if (!(await this.#isReady(slot))) {
          await this.#extend(slot);
          yield 'worked';
        } else {
          slot.reader = me;
          const next: NextToken | null = yield* this.#readSuffix(slot, me, suffix);
          // Null: the lane was closed between two chunks, so this suffix starts again.
          if (next === null) continue;
          slot.reader = null;
          results.push(next);
          if (results.length < suffixes.length) yield 'worked';
        }
      }
      return results;
    } finally {
      if (slot !== null && slot.prefix === lease) {
        slot.users -= 1;
        if (slot.reader === me) slot.reader = null;
      }
    }
  }

  /**
   * Writes behind a prompt. Of the prompt the whole chunks are the prefix, which stays warm; what was written is not
   * kept, because it was evaluated token by token and a prompt is evaluated in chunks. A lane that was lost to larger
   * ones, or to a reading where there is but one, is filled again, and the same answer is written once more.
   */
  async *generate(generation: Generation, account = ownAccount): AsyncGenerator<Step, Ending, void> {
    const writing = new Writing(generation, account, this.#chunk);
    let waits = true;
    this.#waiting.push(account, writing);
    try {
      for (;;) {
        if (writing.isFull(this.tokensMax)) return 'full';
        await this.#slots.makeRoom(writing.room(this.tokensMax, this.#slots.size));
        if (!writing.hasLane()) {
          // An answer that lost its lane goes before the others of its account.
          if (!waits) this.#waiting.unshift(account, writing);
          waits = !(await this.#seat(writing));
          yield waits ? 'blocked' : 'worked';
          continue;
        }
        const { slot } = writing;
        if (!writing.isUnderWay() && !(await this.#isReady(slot))) {
          if (slot.done === 0) writing.nothingWarm();
          await this.#extend(slot);
        } else {
          const tokens = writing.nextLength();
          slot.tokenUsage += 1;
          const ending = await this.#evaluate(slot, tokens, (lane) => writing.write(lane));
          if (ending !== null) return ending;
        }
        yield 'worked';
      }
    } finally {
      if (waits) this.#waiting.remove(account, writing);
      await writing.leave();
    }
  }

  /** Gives this answer a lane if it is the next one and there is a lane for it. */
  async #seat(writing: Writing): Promise<boolean> {
    if (this.#nextToSit() !== writing) return false;
    const { account, prefix, cost } = writing;
    const slot = this.#slots.takeAlone(prefix, account, cost);
    if (slot === null) return false;
    this.#waiting.shift((name) => name === account);
    await writing.sit(slot);
    return true;
  }

  /** The next answer that gets a lane: the first one of the account that holds the fewest. */
  #nextToSit(): Writing | undefined {
    let next: string | undefined;
    for (const account of this.#waiting.accounts()) {
      const holdsFewer = next === undefined || this.#slots.heldBy(account) < this.#slots.heldBy(next);
      if (holdsFewer && this.#slots.mayTakeAlone(account)) next = account;
    }
    return this.#waiting.first((account) => account === next);
  }

  /** Whether exactly the whole prefix is evaluated. */
  async #isReady(slot: Slot): Promise<boolean> {
    await slot.lane.rewind(slot.done);
    if (slot.lane.length() !== slot.done) slot.done = 0;
    return slot.done === slot.prefix.length;
  }

  async #extend(slot: Slot): Promise<void> {
    const tokens = slot.prefix.slice(slot.done, slot.done + this.#chunk);
    await this.#evaluate(slot, tokens.length, (lane) => lane.evaluate(tokens));
    slot.done += tokens.length;
    if (slot.done === slot.prefix.length) await slot.lane.keep();
  }

  /** Null when the slot was abandoned meanwhile. */
  async *#readSuffix(slot: Slot, me: object, { tokens, ask }: Suffix) {
    for (let at = 0; ; at += this.#chunk) {
      const part = tokens.slice(at, at + this.#chunk);
      slot.tokenUsage += part.length;
      if (at + this.#chunk >= tokens.length) {
        return this.#evaluate(slot, part.length, (lane) => lane.evaluate(part, ask));
      }
      await this.#evaluate(slot, part.length, (lane) => lane.evaluate(part));
      yield 'worked' as const;
      if (slot.reader !== me) return null;
    }
  }

  async #evaluate<Result>(slot: Slot, tokens: number, evaluate: (lane: Lane) => Promise<Result>) {
    this.#evaluated += tokens;
    slot.usedAt = ++this.#uses;
    try {
      return await evaluate(slot.lane);
    } catch (error) {
      // The contents of such a lane are unknown.
      abandon(slot);
      await slot.lane.rewind(0).catch(() => {});
      throw error;
    }
  }
}
