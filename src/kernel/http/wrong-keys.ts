import { BlockList, isIPv6 } from 'node:net';

const windowMs = 60_000;
/** As many are answered at once. */
const freeMax = 20;
const stepMs = 50;
const delayMaxMs = 1_000;
/** Addresses that are remembered; the oldest is forgotten for a new one. */
const addressesMax = 10_000;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Counts wrong keys by address, so that guessing is slowed down. */
export class WrongKeys {
  readonly #seen = new Map<string, { count: number; readonly since: number }>();

  /** Notes a wrong key. Answers how long its refusal has to wait. `now` is monotonic. Unit: ms. */
  delayOf(address: string, now: number): number {
    if (address === '' || loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return 0;
    let entry = this.#seen.get(address);
    if (entry === undefined || now - entry.since >= windowMs) {
      this.#seen.delete(address);
      entry = { count: 0, since: now };
      this.#seen.set(address, entry);
      const [oldest] = this.#seen.keys();
      if (this.#seen.size > addressesMax && oldest !== undefined) this.#seen.delete(oldest);
    }
    entry.count++;
    return Math.min(delayMaxMs, Math.max(0, entry.count - freeMax) * stepMs);
  }
}
