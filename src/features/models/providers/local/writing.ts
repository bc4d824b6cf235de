import { Fault } from '../../../../kernel/faults.ts';
import type { Ending, Generation, Listener } from './generation.ts';
import type { Lane } from './lane.ts';
import { free, readPerWritten, type Slot } from './slots.ts';

/** Room that an answer gets before it is known how long it will be. Unit: tokens. */
const roomStep = 512;

/** An answer that is being written: its place, and what is needed to write it again in another lane. */
export class Writing {
  readonly account: string;
  readonly prefix: readonly number[];
  readonly #generation: Generation;
  readonly #suffix: readonly number[];
  #slot: Slot | null = null;
  #lease: readonly number[] | null = null;
  #tokens: AsyncGenerator<number, void, readonly number[] | undefined> | null = null;
  #listener: Listener | null = null;
  /** Tokens in the order in which the model drew them. */
  readonly #drawn: number[] = [];
  /** Drawn since the lane was taken. */
  #at = 0;
  /** Tokens that stand behind the prompt once the next evaluation is done. */
  #behind = 0;
  #instead: readonly number[] | undefined;
  #started = false;
  #cached: number | null = null;

  constructor(generation: Generation, account: string, chunk: number) {
    const { prompt } = generation;
    const whole = Math.floor((prompt.length - 1) / chunk) * chunk;
    this.#generation = generation;
    this.account = account;
    this.prefix = prompt.slice(0, whole);
    this.#suffix = prompt.slice(whole);
  }

  /** The work of getting back to this place, and of writing as much again. Unit: tokens that are written. */
  get cost(): number {
    return this.#generation.prompt.length / readPerWritten + 2 * this.#drawn.length;
  }

  get slot(): Slot {
    if (this.#slot === null) throw new Error('the answer has no lane');
    return this.#slot;
  }

  hasLane(): boolean {
    return this.#slot !== null && this.#slot.prefix === this.#lease;
  }

  isUnderWay(): boolean {
    return this.#tokens !== null;
  }

  /** Whether not one token more fits behind the prompt. */
  isFull(most: number): boolean {
    return this.#generation.prompt.length + this.#behind > most;
  }

  /** Size that a lane must have. It grows only when the present lanes are full. Unit: tokens. */
  room(most: number, now: number): number {
    const { prompt, tokensMax } = this.#generation;
    const needed = prompt.length + this.#behind;
    if (needed <= now && this.hasLane()) return needed;
    return Math.min(most, Math.max(needed, prompt.length + Math.min(tokensMax, this.#behind + roomStep)));
  }

  async sit(slot: Slot): Promise<void> {
    await this.#stop();
    this.#slot = slot;
    this.#lease = slot.prefix;
    this.#cached ??= slot.done;
    this.#at = 0;
    this.#behind = 0;
    this.#instead = undefined;
    this.#listener = this.#generation.listen(this.#drawn.length);
  }

  /** The lane could not be cut back to what it shared. */
  nothingWarm(): void {
    if (!this.#started) this.#cached = 0;
  }

  /** Length of the next evaluation. Unit: tokens. */
  nextLength(): number {
    return this.#tokens === null ? this.#suffix.length : (this.#instead?.length ?? 1);
  }

  /** Writes one more token. Returns null when the answer goes on. */
  async write(lane: Lane): Promise<Ending | null> {
    const { sampling, tokensMax, onStart } = this.#generation;
    const listener = this.#listener;
    if (listener === null) throw new Error('nobody listens');
    this.#tokens ??= lane.write(this.#suffix, sampling, () => listener.grammar());
    if (!this.#started) onStart(this.#cached ?? 0);
    this.#started = true;
    const { value: token, done } = await this.#tokens.next(this.#instead);
    if (done === true) return 'end';
    const known = this.#drawn[this.#at];
    // The same tokens in the same chunks give the same bits; where they do not, the caller has read another answer.
    if (known !== undefined && known !== token)
      throw new Fault('bad_gateway', 'The local model lost its place.');
    if (known === undefined) this.#drawn.push(token);
    this.#at += 1;
    const verdict = listener.hear(token);
    if (verdict === 'enough') return 'enough';
    if (this.#at >= tokensMax) return 'length';
    this.#instead = verdict === 'more' ? undefined : verdict;
    this.#behind += this.nextLength();
    return null;
  }

  /** Frees the lane, if it is still held. */
  async leave(): Promise<void> {
    await this.#stop();
    if (this.#slot !== null && this.hasLane()) free(this.#slot);
    this.#slot = null;
  }

  async #stop(): Promise<void> {
    const tokens = this.#tokens;
    this.#tokens = null;
    await tokens?.return();
  }
}
