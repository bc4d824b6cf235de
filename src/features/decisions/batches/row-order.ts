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
  #ended = Promise.withResolvers<void>();

  /** A place behind those that were taken before: `reached` resolves when it is first, until `leave` is called. */
  take(): { readonly reached: Promise<void>; readonly leave: () => void } {
    const reached = this.#last;
    const left = Promise.withResolvers<void>();
    this.#last = reached.then(() => left.promise);
    return { reached, leave: left.resolve };
  }

  /** Waits until one more row may be under way, of all pieces in this order. */
  async room({ rows, shortRows }: RowRoom): Promise<void> {
    while (this.#rows >= (this.#characters < shortTotal ? Math.max(rows, shortRows) : rows))
      await this.#ended.promise;
  }

  /** Counts a row as under way while it is. */
  async run(characters: number, row: () => Promise<void>): Promise<void> {
    this.#rows++;
    this.#characters += characters;
    await row();
    this.#rows--;
    this.#characters -= characters;
    this.#ended.resolve();
    this.#ended = Promise.withResolvers();
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
