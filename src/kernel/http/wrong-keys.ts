import { BlockList, isIPv6 } from 'node:net';

const windowMs = 60_000;
/** Answered without delay. */
const freeMax = 20;
const stepMs = 50;
const delayMaxMs = 1_000;
/** Remembered addresses; the oldest is dropped first. */
const addressesMax = 10_000;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Counts wrong keys by address to slow guessing down. */
export class WrongKeys {
  readonly #seen = new Map<string, { count: number; readonly since: number }>();

  /** Counts a wrong key and returns the delay of its refusal. `now` is monotonic. Unit: ms. */
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
