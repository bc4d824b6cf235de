import { setImmediate } from 'node:timers/promises';
import type { LlamaModel } from 'node-llama-cpp';
import type { Segment } from './template.ts';

/** What llama.cpp calls `token_type`. User-defined ones are found in text even when control tokens are not read. */
const control = 3;
const userDefined = 4;

/** Characters tokenized at a stretch; about 15 ms. */
const sliceChars = 65_536;

/** Text to tokens, so that data never becomes a control token. */
export function createVocabulary(model: LlamaModel, template: string) {
  const { texts, ids } = controlTokensOf(model, template);
  const clean = createCleaner(texts);
  const tokenize = (text: string, special: boolean): number[] =>
    model.tokenize(text, special, 'trimLeadingSpace').map(Number);

  /** Tokens of data; long texts in slices, so that others get the event loop. Rejects with the signal's reason. */
  async function ofData(text: string, signal: AbortSignal): Promise<readonly number[]> {
    const tokens: number[] = [];
    for (const [index, slice] of slicesOf(clean(text)).entries()) {
      if (index > 0) await setImmediate(undefined, { signal });
      // The cleaner leaves none; a token that slipped through would be an order of the template, so it is dropped.
      for (const token of tokenize(slice, false)) if (!ids.has(token)) tokens.push(token);
    }
    return tokens;
  }

  /** Tokens of a whole prompt whose data is clean, as the model's authors cut it: in one go, and control tokens are read. */
  async function ofPrompt(text: string, signal: AbortSignal): Promise<readonly number[]> {
    const tokens: number[] = [];
    for (const [index, slice] of slicesOf(text).entries()) {
      if (index > 0) await setImmediate(undefined, { signal });
      for (const token of model.tokenize(slice, true)) tokens.push(token);
    }
    return tokens;
  }

  /** Tokens of our own text and of the template; control tokens are read. `first` opens the whole prompt. */
  function ofTemplate(text: string, first = false): readonly number[] {
    const tokens = tokenize(text, true);
    const { bos, shouldPrependBosToken } = model.tokens;
    if (!first || !shouldPrependBosToken || bos === null || tokens[0] === bos) return tokens;
    return [bos, ...tokens];
  }

  return {
    /** Data in which no control token reads as one, for data that has to pass through the template. */
    clean,
    ofTemplate,
    ofData,
    ofPrompt,
    /** The token that a word is by itself; null where it is several. */
    ofWord(word: string): number | null {
      const [token, ...more] = model.tokenize(word, false);
      return token === undefined || more.length > 0 ? null : Number(token);
    },
    async ofSegments(segments: readonly Segment[], signal: AbortSignal): Promise<readonly number[]> {
      const tokens: number[] = [];
      for (const [index, { from, text }] of segments.entries()) {
        const more = from === 'data' ? await ofData(text, signal) : ofTemplate(text, index === 0);
        for (const token of more) tokens.push(token);
      }
      return tokens;
    },
  };
}

function controlTokensOf(model: LlamaModel, template: string) {
  const { tokens, token_type: types } = model.fileInfo.metadata.tokenizer.ggml;
  const texts = new Set<string>();
  const ids = new Set<number>();
  for (const [id, text] of tokens.entries()) {
    const type: number | undefined = types[id];
    // User-defined ones are often plain words, markup or runs of blanks, which data may well hold.
    const acts = type === control || (type === userDefined && (template.includes(text) || isMarker(text)));
    if (!acts || text.trim() === '') continue;
    texts.add(text);
    ids.add(id);
  }
  return { texts, ids };
}

function isMarker(text: string): boolean {
  return /^<[|｜].*[|｜]>$|^<\/?(?:think|tool_[a-z]+)>$/u.test(text);
}

/** Puts a blank behind the first character of everything that reads like a control token. Never deletes. */
function createCleaner(texts: ReadonlySet<string>): (text: string) => string {
  const bracketed = (text: string) => /^<[^\s<>]+>$|^\[[^\s[\]]+\]$/u.test(text);
  const others = [...texts].filter((text) => text.length > 1 && !bracketed(text));
  const blank = (text: string) => text.replace(/^./su, '$& ');
  return (text) => {
    const cleaned = text.replaceAll(/<[^\s<>]+>|\[[^\s[\]]+\]/gu, (match) =>
      texts.has(match) ? blank(match) : match,
    );
    return others.reduce((result, token) => result.replaceAll(token, blank), cleaned);
  };
}

/** Cut before a blank or line end, where tokenizers cut as well. */
export function slicesOf(text: string): readonly string[] {
  const slices: string[] = [];
  let from = 0;
  while (text.length - from > sliceChars) {
    const blank = Math.max(
      text.lastIndexOf(' ', from + sliceChars),
      text.lastIndexOf('\n', from + sliceChars),
    );
    // A text without blanks is cut anywhere but between the halves of one character.
    const high = (text.codePointAt(from + sliceChars - 1) ?? 0) > 0xff_ff;
    const to = blank > from ? blank : from + sliceChars + (high ? 1 : 0);
    slices.push(text.slice(from, to));
    from = to;
  }
  return [...slices, text.slice(from)];
}
