/** How many rows may be under way. */
export interface RowRoom {
  /** However long they are. */
  readonly rows: number;
  /** While they are short. */
  readonly shortRows: number;
}

/** Rows under way are short up to this many characters together: no row waits for long behind the others. */
const shortTotal = 32_768;

/** Order in which rows of several pieces begin: all of a piece before those of the next. */
export class RowOrder {
  #last: Promise<void> = Promise.resolve();
  #rows = 0;
  #characters = 0;
  /** Of those who wait for a row to end; null while nobody does, so that rows that wait for none make none. */
  #ended: PromiseWithResolvers<void> | null = null;

  /** A place behind those that were taken before: `reached` resolves when it is first, until `leave` is called. */
  take(): { readonly reached: Promise<void>; readonly leave: () => void } {
    const reached = this.#last;
    const left = Promise.withResolvers<void>();
    this.#last = reached.then(() => left.promise);
    return { reached, leave: left.resolve };
  }

  /** Whether one more row may be under way, of all pieces in this order. */
  hasRoom({ rows, shortRows }: RowRoom): boolean {
    return this.#rows < (this.#characters < shortTotal ? Math.max(rows, shortRows) : rows);
  }

  async room(room: RowRoom): Promise<void> {
    while (!this.hasRoom(room)) {
      this.#ended ??= Promise.withResolvers();
      await this.#ended.promise;
    }
  }

  /** Counts a row as under way until `end` is called with as many characters. */
  begin(characters: number): void {
    this.#rows++;
    this.#characters += characters;
  }

  end(characters: number): void {
    this.#rows--;
    this.#characters -= characters;
    this.#ended?.resolve();
    this.#ended = null;
  }
}

/** An order for each account and decider: rows of one that is slow must not hold those of another. */
export class RowOrders {
  readonly #orders = new Map<string, { readonly order: RowOrder; pieces: number }>();

  /** Returns a function to be called once, when the piece is over. */
  enter({ accountId, model }: { readonly accountId: string; readonly model: string }): {
    readonly order: RowOrder;
    readonly leave: () => void;
  } {
    const key = JSON.stringify([accountId, model]);
    const entry = this.#orders.get(key) ?? { order: new RowOrder(), pieces: 0 };
    this.#orders.set(key, entry);
    entry.pieces++;
    const leave = (): void => {
      if (--entry.pieces === 0) this.#orders.delete(key);
    };
    return { order: entry.order, leave };
  }
}
