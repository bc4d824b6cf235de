/**
 * A resource of fixed size shared by accounts. An account may hold at most as much as it leaves free: of four slots
 * two, so the next account finds one without interrupting anybody (dynamic thresholds, as in switches that share a
 * buffer between ports).
 */
export class Shares {
  readonly #size: number;
  readonly #held = new Map<string, number>();
  #free: number;

  constructor(size: number) {
    this.#size = size;
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
    return this.heldBy(account) + amount <= this.#free;
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
