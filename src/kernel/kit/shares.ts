/**
 * A resource of fixed size shared by accounts. An account may hold at most as much as it leaves free: of four slots
 * two, so the next account finds one without interrupting anybody (dynamic thresholds, as in switches that share a
 * buffer between ports).
 */
export class Shares {
  readonly #size: number;
  readonly #leavesFree: boolean;
  readonly #held = new Map<string, number>();
  #free: number;

  /** `leavesFree`: false where what is held is soon given back, so that whoever comes next has a turn and needs none kept free. */
  constructor(size: number, leavesFree = true) {
    this.#size = size;
    this.#leavesFree = leavesFree;
    this.#free = size;
  }

  get free(): number {
    return this.#free;
  }

  get held(): number {
    return this.#size - this.#free;
  }

  heldBy(account: string): number {
    return this.#held.get(account) ?? 0;
  }

  mayTake(account: string, amount = 1): boolean {
    return (this.#leavesFree ? this.heldBy(account) : 0) + amount <= this.#free;
  }

  /** Returns false, taking nothing, where the account holds its part already. */
  take(account: string, amount = 1): boolean {
    if (!this.mayTake(account, amount)) return false;
    this.#held.set(account, this.heldBy(account) + amount);
    this.#free -= amount;
    return true;
  }

  give(account: string, amount = 1): void {
    const left = this.heldBy(account) - amount;
    if (left > 0) this.#held.set(account, left);
    else this.#held.delete(account);
    this.#free += amount;
  }
}
