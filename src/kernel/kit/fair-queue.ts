/** Queue in which accounts take turns; items of one account keep their order. */
export class FairQueue<Item> {
  readonly #lines = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Accounts with waiting items, in the order of turns. */
  accounts(): Iterable<string> {
    return this.#lines.keys();
  }

  push(account: string, item: Item): void {
    const line = this.#lines.get(account);
    if (line === undefined) this.#lines.set(account, [item]);
    else line.push(item);
    this.#size++;
  }

  /** Puts an item before the others of its account. */
  unshift(account: string, item: Item): void {
    const line = this.#lines.get(account);
    if (line === undefined) this.#lines.set(account, [item]);
    else line.unshift(item);
    this.#size++;
  }

  /** The item that `shift` would return. */
  first(mayGo: (account: string, item: Item) => boolean = () => true): Item | undefined {
    for (const [account, line] of this.#lines) if (mayGo(account, line[0] as Item)) return line[0];
    return undefined;
  }

  /** Takes the next item of the first account that may go; undefined where there is none. */
  shift(mayGo: (account: string, item: Item) => boolean = () => true): Item | undefined {
    for (const [account, line] of this.#lines) {
      if (!mayGo(account, line[0] as Item)) continue;
      const item = line.shift();
      this.#lines.delete(account);
      if (line.length > 0) this.#lines.set(account, line);
      this.#size--;
      return item;
    }
    return undefined;
  }

  /** Returns false where the item has left the queue. */
  remove(account: string, item: Item): boolean {
    const line = this.#lines.get(account);
    const place = line?.indexOf(item) ?? -1;
    if (line === undefined || place < 0) return false;
    line.splice(place, 1);
    if (line.length === 0) this.#lines.delete(account);
    this.#size--;
    return true;
  }

  /** Takes all items in the order of `shift`. */
  drain(): readonly Item[] {
    const items: Item[] = [];
    for (let item = this.shift(); item !== undefined; item = this.shift()) items.push(item);
    return items;
  }
}
