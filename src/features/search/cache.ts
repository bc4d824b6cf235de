import type { Clock } from '../../kernel/kit/clock.ts';

export interface Cache<Value> {
  /** Undefined when it is not held or too old. */
  get(key: string): Value | undefined;
  set(key: string, value: Value, ttlMs: number): void;
}

interface CacheOptions<Value> {
  readonly clock: Clock;
  readonly entriesMax: number;
  /** What all values together may weigh, by `weightOf`. */
  readonly weightMax: number;
  readonly weightOf: (value: Value) => number;
}

/** Values in memory for a while; the least recently used go first when there are too many. */
export function createCache<Value>(options: CacheOptions<Value>): Cache<Value> {
  const { clock, entriesMax, weightMax, weightOf } = options;
  const entries = new Map<
    string,
    { readonly value: Value; readonly endsAt: number; readonly weight: number }
  >();
  const held = { weight: 0 };
  const remove = (key: string) => {
    held.weight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      remove(key);
      if (clock.monotonic() >= entry.endsAt) return undefined;
      entries.set(key, entry);
      held.weight += entry.weight;
      return entry.value;
    },
    set(key, value, ttlMs) {
      remove(key);
      const weight = weightOf(value);
      if (ttlMs <= 0 || weight > weightMax) return;
      entries.set(key, { value, endsAt: clock.monotonic() + ttlMs, weight });
      held.weight += weight;
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax && held.weight <= weightMax) break;
        remove(oldest);
      }
    },
  };
}
