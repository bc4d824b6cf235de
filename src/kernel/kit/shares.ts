/**
 * A resource of a fixed size that accounts share. An account may hold as much as it leaves free for others, and no
 * more: of four slots two when it is alone, and the next account finds one. Nobody has to be interrupted for that,
 * so it also holds for work that cannot be (dynamic thresholds, as in switches that share a buffer between ports).
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

  /** False, and nothing taken, where the account holds its part already. */
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
