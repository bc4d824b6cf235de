import type { LlamaModel, Token } from 'node-llama-cpp';

export type Decoder = ReturnType<typeof createDecoder>;

/** `token_type` of llama.cpp. */
const normal = 1;
const control = 3;
const byte = 6;

/** Tokens of an answer to text, as they come. */
export function createDecoding(model: LlamaModel) {
  const types = model.fileInfo.metadata.tokenizer.ggml.token_type;
  const decode = (tokens: readonly number[], before: readonly number[] = []) =>
    model.detokenize(tokens as readonly Token[], true, before as readonly Token[]);
  return {
    isEnd: (token: number) => model.isEogToken(token as Token),
    /** Control tokens, which a template writes and a reader does not see. */
    isControl: (token: number) => Number(types[token]) === control,
    textOf: (tokens: readonly number[]) => decode(tokens),
    begin: (prompt: readonly number[]) => createDecoder(decode, prompt),
  };
}

/** Tokens with a byte that UTF-8 never has: with one an answer could fit a grammar and not be JSON. */
export function noTextTokens(model: LlamaModel): readonly number[] {
  const { tokens, token_type: types, model: kind } = model.fileInfo.metadata.tokenizer.ggml;
  // GPT-2's vocabulary writes these bytes as the characters of the same number, SentencePiece by name.
  const dead = kind === 'gpt2' ? /[\u00c0\u00c1\u00f5-\u00ff]/ : /^<0x(?:C[01]|F[5-9A-F])>$/;
  const isText = (token: number) => [normal, byte].includes(Number(types[token]));
  return tokens.flatMap((text, token) => (isText(token) && dead.test(text) ? [token] : []));
}

/** Tokens that decide whether the next one begins with a blank. */
const contextTokens = 3;
/** Longest run of tokens that is held for the rest of a character; longer ones are bytes that form none. */
const heldMax = 8;
const replacement = '\ufffd';

/** Text in whole characters: a token may hold the half of one. */
function createDecoder(
  decode: (tokens: readonly number[], before: readonly number[]) => string,
  prompt: readonly number[],
) {
  let before = prompt.slice(-contextTokens);
  let held: number[] = [];

  function take(count: number): string {
    const text = decode(held.slice(0, count), before);
    before = [...before, ...held.slice(0, count)].slice(-contextTokens);
    held = held.slice(count);
    return text;
  }

  /** The number of held tokens that end between two characters. */
  function settled(): number {
    const whole = decode(held, before);
    for (let count = held.length - 1; count > 0; count--) {
      const parts = decode(held.slice(0, count), before) + decode(held.slice(count), []);
      if (parts === whole) return count;
    }
    return 0;
  }

  return {
    /** Whether bytes wait for the rest of their character. */
    isHolding: () => held.length > 0,
    push(token: number): string {
      held.push(token);
      if (!decode(held, before).endsWith(replacement)) return take(held.length);
      return held.length < heldMax ? '' : take(settled());
    },
    /** Returns the text that is still held, incomplete as it is. */
    end: () => take(held.length),
  };
}
