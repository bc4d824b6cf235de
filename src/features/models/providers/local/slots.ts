import { ownAccount } from '../../../../kernel/kit/caller.ts';
import type { Lane } from './lane.ts';

/**
 * Tokens of a prompt that are read while one is written, at least: 91 and 25 a second with 596 million weights on one
 * processor, and more of them with several.
 */
export const readPerWritten = 4;

/** Smallest `price` of a lane: what an answer may write before it can lose its lane. Unit: tokens. */
const sliceMin = 16;

export interface Layout {
  readonly lanes: number;
  /** Unit: tokens. */
  readonly size: number;
}

/**
 * A lane and the prefix in it. A slot is free when it has no users: its prefix stays warm. It is taken by one or more
 * readings of the same prefix, which extend it together until `done` reaches its end, and read by one of them at a time,
 * while a suffix stands behind the prefix. A taken slot may be taken away between two evaluations, when its use has
 * repaid its prefix or when its account has too many. Its users notice because `prefix` is no longer the array that they
 * were given.
 */
export interface Slot {
  readonly lane: Lane;
  prefix: readonly number[];
  /** Tokens of the prefix that are evaluated: a multiple of the chunk, or all. */
  done: number;
  users: number;
  /** The account that the lane was given to. */
  account: string;
  /** The reading whose suffix stands behind the prefix. */
  reader: object | null;
  /** Tokens of suffixes since the prefix was set, or tokens that a generation wrote. */
  tokenUsage: number;
  /** A generation has the lane for itself until it ends. */
  alone: boolean;
  /** `tokenUsage` from which the lane may be taken away from a generation of an account with more lanes. Unit: tokens. */
  price: number;
  usedAt: number;
}

/** The slots of a model: which prefix is where, and who may use it. Only `take`, `takeAlone`, `free` and `abandon` change its owner. */
export class Slots {
  readonly #layouts: readonly Layout[];
  readonly #chunk: number;
  readonly #open: (layout: Layout) => Promise<readonly Lane[]>;
  #slots: readonly Slot[] = [];
  #size = 0;

  /** `layouts`: those with more lanes first. */
  constructor(layouts: readonly Layout[], chunk: number, open: (layout: Layout) => Promise<readonly Lane[]>) {
    this.#layouts = layouts;
    this.#chunk = chunk;
    this.#open = open;
  }

  /** Most tokens of a lane as they are now. */
  get size(): number {
    return this.#size;
  }

  /** Fewer, larger lanes once a reading needs them; what was warm is lost, so it never goes back. */
  async makeRoom(tokens: number): Promise<void> {
    if (tokens <= this.#size) return;
    const layout = this.#layouts.find(({ size }) => size >= tokens);
    if (layout === undefined) throw new Error(`a reading of ${tokens} tokens fits no lane`);
    for (const slot of this.#slots) abandon(slot);
    this.#slots = [];
    this.#size = 0;
    const lanes = await this.#open(layout);
    this.#slots = lanes.map((lane) => ({ lane, prefix: [], ...vacant }));
    this.#size = layout.size;
  }

  heldBy(account: string): number {
    return this.#slots.filter((slot) => slot.users > 0 && slot.account === account).length;
  }

  /** The slot that has this prefix, or most of its beginning, or was used least; null when all are in use. */
  take(prefix: readonly number[], account: string): Slot | null {
    const same = this.#slots.find((slot) => !slot.alone && isSame(slot.prefix, prefix));
    const slot = same ?? this.#mostShared(prefix) ?? this.#earned(account) ?? this.#due(account);
    if (slot === null) return null;
    if (slot !== same) this.#lease(slot, prefix);
    if (slot.users === 0) slot.account = account;
    slot.users += 1;
    return slot;
  }

  /** Whether `takeAlone` would give this account a lane. */
  mayTakeAlone(account: string): boolean {
    return this.#forAlone([], account) !== null;
  }

  /**
   * As `take`, for one exclusive user. `cost` is the work of getting back to where it was, in written tokens; the lane is
   * not taken away before it has written as many. One lane is left for readings, which are short and must not wait for an
   * answer to end.
   */
  takeAlone(prefix: readonly number[], account: string, cost: number): Slot | null {
    const slot = this.#forAlone(prefix, account);
    if (slot === null) return null;
    this.#lease(slot, prefix);
    Object.assign(slot, { users: 1, account, alone: true, price: Math.max(sliceMin, cost) });
    return slot;
  }

  #forAlone(prefix: readonly number[], account: string): Slot | null {
    const alone = this.#slots.filter((slot) => slot.alone);
    if (alone.length >= Math.max(1, this.#slots.length - 1)) return this.#due(account, alone);
    return this.#mostShared(prefix) ?? this.#earned(account) ?? this.#due(account);
  }

  #lease(slot: Slot, prefix: readonly number[]): void {
    const kept = this.#shared(slot, prefix);
    abandon(slot);
    // A copy, because its identity is the lease.
    Object.assign(slot, { prefix: [...prefix], done: kept });
  }

  #mostShared(prefix: readonly number[]): Slot | null {
    const free = this.#slots.filter((slot) => slot.users === 0);
    return best(free, (slot) => [this.#shared(slot, prefix), -slot.usedAt]);
  }

  /** Did as much work as its prefix cost, so that taking it at most doubles that. Accounts with no more keep theirs. */
  #earned(account: string): Slot | null {
    // With one lane a reading would wait for the end of an answer; that one is written again, to the same words.
    const only = this.#slots.length === 1;
    const candidates = this.#slots.filter((slot) =>
      slot.alone
        ? only && slot.tokenUsage >= slot.price
        : slot.reader === null && slot.tokenUsage >= slot.prefix.length,
    );
    return best(
      candidates.filter((slot) => slot.account === account || this.#surplus(slot, account) > 0),
      (slot) => [slot.tokenUsage],
    );
  }

  /**
   * A lane of an account that holds too many, the one whose loss costs least. An account that holds two lanes more than
   * this one gives one back at once; one that holds one more, when its answer has written as much as its price, so that
   * accounts take turns where there are more of them than lanes.
   */
  #due(account: string, slots = this.#slots): Slot | null {
    const candidates = slots.filter((slot) => {
      const surplus = this.#surplus(slot, account);
      return surplus > 1 || (surplus === 1 && slot.alone && slot.tokenUsage >= slot.price);
    });
    return best(candidates, (slot) => [-(slot.done / readPerWritten) - (slot.alone ? slot.tokenUsage : 0)]);
  }

  /** How many lanes more than this account the account of the slot holds. */
  #surplus(slot: Slot, account: string): number {
    return slot.users === 0 ? 0 : this.heldBy(slot.account) - this.heldBy(account);
  }

  /** Only whole chunks: the last one of another prefix would have been cut elsewhere in ours. */
  #shared(slot: Slot, prefix: readonly number[]): number {
    const most = Math.min(slot.done, prefix.length);
    let same = 0;
    while (same < most && slot.prefix[same] === prefix[same]) same += 1;
    return same - (same % this.#chunk);
  }
}

/** Takes the slot from all of its users; they see another `prefix` and take one anew. */
export function abandon(slot: Slot): void {
  Object.assign(slot, { prefix: [], ...vacant });
}

/** Ends the use of a slot by its exclusive user; its prefix stays warm. */
export function free(slot: Slot): void {
  Object.assign(slot, { users: 0, reader: null, alone: false, price: 0 });
}

const vacant = {
  done: 0,
  users: 0,
  account: ownAccount,
  reader: null,
  tokenUsage: 0,
  alone: false,
  price: 0,
  usedAt: 0,
} as const;

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((token, index) => token === b[index]);
}

function best(slots: readonly Slot[], rank: (slot: Slot) => readonly number[]): Slot | null {
  return slots.reduce<Slot | null>((leader, slot) => {
    if (leader === null) return slot;
    const [ours, theirs] = [rank(slot), rank(leader)];
    const at = ours.findIndex((value, index) => value !== theirs[index]);
    return at >= 0 && (ours[at] ?? 0) > (theirs[at] ?? 0) ? slot : leader;
  }, null);
}
