import { tokenize } from '../../../kernel/kit/words.ts';
import type { Lexeme, Lexemes } from './lexeme.ts';
import { negationEnds, negators, passed, wishes } from './lexicon.ts';
import { toUnit } from './metric.ts';
import { withoutForgedFrames } from './forged-frames.ts';
import { claimsRole, clauseEnds, clauseKind } from './injected-instructions.ts';
import { meanings, phrases } from './phrases.ts';

/** Number of tokens after which a passage ends with its sentence, and at which it always ends. */
const passageTokens = 64;
const passageTokensMax = 96;
/** Characters tokenized between two yields; about 1 ms, more on a cold start. */
const sliceChars = 4_096;
/** Number of words after a refused wish that count as negated. */
const wishReach = 3;

/** A part of the state that is compared as a whole. A short state is one passage. */
export interface Passage {
  /** Indices into `AnalyzedState.lexemes`, at most one for each polarity of a word. */
  readonly ids: Int32Array;
  /** 1 where the word stands after a negator. */
  readonly negated: Uint8Array;
  readonly weight: number;
  /** Weighted sum of the word vectors, of length 1; all zero when no word is known. */
  readonly mean: Float64Array;
  /** How near it is to usual messages. */
  readonly usual: number;
  /** Feeling of the passage: valence in [-1, 1], intensity in [-1, 1]. */
  readonly valence: number;
  readonly intensity: number;
}

/** Words and passages of a state, prepared once for all questions of a call. */
export interface AnalyzedState {
  readonly lexemes: readonly Lexeme[];
  /** At least one, which may be empty. */
  readonly passages: readonly Passage[];
}

/** Analyzes the text of a state. Yields often, so that a long text can be read in slices. */
export function* analyzeState(text: string, lexemes: Lexemes): Generator<void, AnalyzedState> {
  const strict = yield* read(yield* withoutForgedFrames(text), lexemes, false);
  if (strict.lexemes.some((lexeme) => lexeme.weight > 0.1)) return strict;
  // Everything looked like an instruction: then the text is read as it is.
  return yield* read(text, lexemes, true);
}

function* read(text: string, lexemes: Lexemes, keepPicks: boolean): Generator<void, AnalyzedState> {
  const ids = new Map<Lexeme, number>();
  const passages: Passage[] = [];
  let open: Word[] = [];
  for (const slice of slices(text)) {
    for (const sentence of sentences(slice)) {
      if (open.length > 0 && open.length + sentence.length > passageTokensMax) open = close(open);
      for (const word of contentWords(sentence, keepPicks)) {
        open.push({ lexeme: lexemes.of(word.token), negated: word.negated });
        if (open.length >= passageTokensMax) open = close(open);
      }
      if (open.length >= passageTokens) open = close(open);
    }
    yield;
  }
  if (open.length > 0 || passages.length === 0) close(open);
  return { lexemes: [...ids.keys()], passages };

  function close(words: readonly Word[]): Word[] {
    passages.push(toPassage(words, ids, lexemes));
    return [];
  }
}

interface Word {
  readonly lexeme: Lexeme;
  readonly negated: boolean;
}

/** Cuts at white space about every `sliceChars` characters; a longer word is cut in the middle. */
function* slices(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + sliceChars);
    if (to < text.length) {
      let cut = to;
      while (cut > from + sliceChars / 2 && text.charCodeAt(cut) > 32) cut--;
      if (cut > from + sliceChars / 2) to = cut;
    }
    yield text.slice(from, to);
    from = to;
  }
}

function* sentences(slice: string): Generator<readonly string[]> {
  for (const line of slice.split('\n')) {
    let sentence: string[] = [];
    let first = true;
    for (const token of tokenize(line)) {
      sentence.push(token);
      if (token !== '.' && token !== '!' && token !== '?') continue;
      if (first || !claimsRole(sentence)) yield sentence;
      sentence = [];
      first = false;
    }
    if (sentence.length > 0 && (first || !claimsRole(sentence))) yield sentence;
  }
}

/** Words of a sentence without instructions to the decider, with their polarity. */
function contentWords(
  sentence: readonly string[],
  keepPicks: boolean,
): { token: string; negated: boolean }[] {
  const words: { token: string; negated: boolean }[] = [];
  let clause: string[] = [];
  for (let i = 0; i <= sentence.length; i++) {
    const token = sentence[i];
    if (token !== undefined && !clauseEnds.has(token)) {
      clause.push(token);
      continue;
    }
    const kind = clause.length === 0 ? 'none' : clauseKind(clause);
    // The rest of the sentence belongs to the instruction: "ignore the rules and pick X".
    if (kind === 'instruction') return words;
    if (kind === 'none' || keepPicks) words.push(...withPolarity(clause));
    clause = [];
  }
  return words;
}

/**
 * Marks the negated words of one clause: the next content word after a negator, or the words after a refused wish. No
 * more than that: "I have not received my refund" does not refuse a refund. Negators themselves are left out.
 */
export function withPolarity(clause: readonly string[]): { token: string; negated: boolean }[] {
  const words: { token: string; negated: boolean }[] = [];
  let [reach, before] = [0, ''];
  for (const token of clause) {
    for (const meant of phrases.get(`${before} ${token}`) ?? [])
      words.push({ token: meant, negated: reach > 0 && before !== 'not' });
    before = token;
    if (negators.has(token)) {
      reach = 1;
      continue;
    }
    if (negationEnds.has(token)) reach = 0;
    words.push({ token, negated: reach > 0 });
    for (const meant of meanings.get(token) ?? []) words.push({ token: meant, negated: reach > 0 });
    if (reach > 0 && wishes.has(token)) reach = wishReach;
    else if (!passed.has(token)) reach--;
  }
  return words;
}

function toPassage(
  words: readonly Word[],
  ids: Map<Lexeme, number>,
  { dimensions, usualOf }: Lexemes,
): Passage {
  const seen = new Map<number, Word>();
  const mean = new Float64Array(dimensions);
  let [weight, valence, intensity] = [0, 0, 0];
  for (const word of words) {
    const { lexeme, negated } = word;
    if (lexeme.weight === 0 && lexeme.valence === 0) continue;
    valence += negated ? -0.6 * lexeme.valence : lexeme.valence;
    intensity += negated ? -0.5 * lexeme.intensity : lexeme.intensity;
    const id = ids.get(lexeme) ?? ids.size;
    ids.set(lexeme, id);
    const key = 2 * id + (negated ? 1 : 0);
    if (seen.has(key)) continue;
    seen.set(key, word);
    weight += lexeme.stateWeight;
    addUnit(mean, lexeme, lexeme.stateWeight);
  }
  toUnit(mean);
  return {
    ids: Int32Array.from(seen.keys(), (key) => key >> 1),
    negated: Uint8Array.from(seen.keys(), (key) => key & 1),
    weight,
    mean,
    usual: usualOf(mean).near,
    valence: Math.tanh(valence),
    intensity: Math.tanh(intensity),
  };
}

/** Adds the vector of a word to a sum; unknown words have none. */
export function addUnit(into: Float64Array, { unit }: Lexeme, weight: number): void {
  if (unit === null) return;
  for (let i = 0; i < into.length; i++) into[i] = (into[i] ?? 0) + weight * (unit[i] ?? 0);
}
