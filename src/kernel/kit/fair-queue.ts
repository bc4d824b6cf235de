/** Accounts take turns; what one account put in comes out in its order. */
export class FairQueue<Item> {
  /** The account whose turn it is stands first. */
  readonly #lines = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Those that something of theirs waits for; the one whose turn it is first. */
  accounts(): Iterable<string> {
    return this.#lines.keys();
  }

  push(account: string, item: Item): void {
    const line = this.#lines.get(account);
    if (line === undefined) this.#lines.set(account, [item]);
    else line.push(item);
    this.#size++;
  }

  /** In front of what its account put in before. */
  unshift(account: string, item: Item): void {
    const line = this.#lines.get(account);
    if (line === undefined) this.#lines.set(account, [item]);
    else line.unshift(item);
    this.#size++;
  }

  /** What `shift` would give. */
  first(mayGo: (account: string, item: Item) => boolean = () => true): Item | undefined {
    for (const [account, line] of this.#lines) if (mayGo(account, line[0] as Item)) return line[0];
    return undefined;
  }

  /** The next one, of the first account that may go; undefined where there is none. */
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

  /** False where it came out already. */
  remove(account: string, item: Item): boolean {
    const line = this.#lines.get(account);
    const place = line?.indexOf(item) ?? -1;
    if (line === undefined || place < 0) return false;
    line.splice(place, 1);
    if (line.length === 0) this.#lines.delete(account);
    this.#size--;
    return true;
  }

  /** All of them, in the order in which `shift` would give them. */
  drain(): readonly Item[] {
    const items: Item[] = [];
    for (let item = this.shift(); item !== undefined; item = this.shift()) items.push(item);
    return items;
  }
}
