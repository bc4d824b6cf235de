import type { Caller } from '../../../../kernel/kit/caller.ts';
import type { Encoder } from '../../../models/feature.ts';
import type { TokenText } from './facts.ts';

/** Texts as the encoder reads them, cut to what it can. */
export interface Encoding {
  readonly encode: (texts: readonly string[], caller: Caller) => Promise<readonly Float32Array[]>;
  readonly encodeWithTokens: (texts: readonly string[], caller: Caller) => Promise<readonly TokenText[]>;
  /** Those asked last are kept in memory, and only there: a vector is kept on disk, its tokens are ten times as much. */
  readonly ofStatements: (
    texts: readonly string[],
    caller: Caller,
  ) => Promise<ReadonlyMap<string, TokenText>>;
}

/** Statements whose tokens are kept. A token takes 1.5 KB. */
const statementsMax = 256;

export function createEncoding(encoder: Encoder): Encoding {
  const statements = new Map<string, TokenText>();

  async function rowsOf(texts: readonly string[], { signal, account }: Caller) {
    const asked = texts.map((text) => ({ text, pair: null }));
    const rows = await encoder.tokenize(asked, signal, account);
    return rows.map(({ ids, types }) => ({
      ids: ids.slice(0, encoder.tokensMax),
      types: types.slice(0, encoder.tokensMax),
    }));
  }

  async function encodeWithTokens(texts: readonly string[], caller: Caller): Promise<readonly TokenText[]> {
    const rows = (await rowsOf(texts, caller)).map((row) => ({ ...row, withTokens: true }));
    const found = await encoder.run(rows, caller.signal, caller.account);
    return found.map((all) => ({
      vector: all.slice(0, encoder.dimensions),
      tokens: all.subarray(encoder.dimensions),
    }));
  }

  return {
    encode: async (texts, caller) => encoder.run(await rowsOf(texts, caller), caller.signal, caller.account),

    encodeWithTokens,

    async ofStatements(texts, caller) {
      const found = new Map<string, TokenText>();
      const missing = new Set<string>();
      // Taken before anything is waited for: other requests may push them out meanwhile.
      for (const text of texts) {
        const before = statements.get(text);
        if (before === undefined) missing.add(text);
        else found.set(text, before);
      }
      const made = missing.size === 0 ? [] : await encodeWithTokens([...missing], caller);
      for (const [at, text] of [...missing].entries()) {
        const one = made[at];
        if (one === undefined) throw new RangeError('each text has a vector');
        found.set(text, one);
      }
      for (const [text, one] of found) {
        statements.delete(text);
        statements.set(text, one);
      }
      for (const text of statements.keys()) {
        if (statements.size <= statementsMax) break;
        statements.delete(text);
      }
      return found;
    },
  };
}
