/** Rows of numbers, one for each token of a text. */
export interface TokenStates {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

export interface KeptStates {
  get(key: string): TokenStates | undefined;
  set(key: string, states: TokenStates): void;
}

/** Keeps what was used last, as far as `numbersMax` numbers go. */
export function keepStates(numbersMax: number): KeptStates {
  const kept = new Map<string, TokenStates>();
  let size = 0;

  function set(key: string, states: TokenStates): void {
    size += states.data.length - (kept.get(key)?.data.length ?? 0);
    // The last used stand last.
    kept.delete(key);
    kept.set(key, states);
    for (const [old, { data }] of kept) {
      if (size <= numbersMax) break;
      kept.delete(old);
      size -= data.length;
    }
  }

  return {
    get(key) {
      const states = kept.get(key);
      if (states !== undefined) set(key, states);
      return states;
    },
    set,
  };
}
