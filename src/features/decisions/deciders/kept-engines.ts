import type { DecisionEngine } from '../engine.ts';

interface Kept {
  readonly engine: DecisionEngine;
  readonly bytes: number;
}

/** Engines that are kept between requests: a prior is worth keeping, and so is what was learned. */
export class KeptEngines {
  readonly #countMax: number;
  readonly #bytesMax: number;
  /** The one used last at the end. */
  readonly #engines = new Map<string, Kept>();
  #bytes = 0;

  constructor({ countMax, bytesMax }: { readonly countMax: number; readonly bytesMax: number }) {
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
  }

  get(key: string): DecisionEngine | undefined {
    const kept = this.#engines.get(key);
    if (kept === undefined) return undefined;
    this.#engines.delete(key);
    this.#engines.set(key, kept);
    return kept.engine;
  }

  /** Drops those that were not used for longest, where there are too many; the new one stays. */
  set(key: string, engine: DecisionEngine, bytes: number): void {
    this.#drop(key);
    this.#engines.set(key, { engine, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#engines.keys()) {
      const isFull = this.#engines.size > this.#countMax || this.#bytes > this.#bytesMax;
      if (!isFull || oldest === key) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#engines.get(key)?.bytes ?? 0;
    this.#engines.delete(key);
  }
}
