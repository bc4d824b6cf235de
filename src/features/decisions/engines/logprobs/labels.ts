/** Label of an option, with every token that stands for it. */
export interface Label {
  readonly text: string;
  /** Token ids, with and without a leading space; empty where the tokenizer is not known. */
  readonly ids: readonly number[];
}

/** A token that a server lists as a possible next one. */
export interface Candidate {
  /** The token as text, decoded as far as the server does. */
  readonly text: string;
  readonly id: number | null;
  readonly logprob: number;
}

const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
const pairs = letters.flatMap((first) => letters.map((second) => first + second));

/** Letters are single tokens in every tokenizer seen; pairs need a request to the tokenizer. */
export const letterLabels: readonly Label[] = letters.map((text) => ({ text, ids: [] }));

/** All labels: letters first, then pairs. More than a choice can have options. */
export const labelTexts: readonly string[] = [...letters, ...pairs];

/**
 * Finds the label that a token stands for: by id, else by its text without the space or line break in front. A
 * lower-case letter is taken for its label; lower-case pairs are not, because `is`, `no` and `as` are words.
 */
export function createMatcher(labels: readonly Label[]): (candidate: Candidate) => number | undefined {
  const byId = new Map<number, number>();
  const byText = new Map<string, number>();
  for (const [index, { text, ids }] of labels.entries()) {
    byText.set(text, index);
    if (text.length === 1) byText.set(text.toLowerCase(), index);
    for (const id of ids) byId.set(id, index);
  }
  return ({ id, text }) => (id === null ? undefined : byId.get(id)) ?? byText.get(text.trim());
}

/** Marks of a leading space (SentencePiece, byte-level BPE) and of a line break that some servers do not decode. */
const rawMarks = /^[\u2581\u0120\u010a\s]+/u;
const escapedByte = /<0x([0-9a-f]{2})>|\\x([0-9a-f]{2})/giu;

/**
 * Text of a token. Its bytes are preferred to its text, because servers replace invalid UTF-8. Raw forms (`▁A`, `ĠA`,
 * `<0x41>`, `bytes:\x41`) are decoded.
 */
export function tokenText(token: string, bytes: readonly number[] | null): string {
  const raw = bytes !== null && bytes.length > 0 ? Buffer.from(bytes).toString('utf8') : token;
  return raw
    .replace(/^bytes:/u, '')
    .replaceAll(escapedByte, (_, a: string | undefined, b: string | undefined) =>
      String.fromCharCode(Number.parseInt(a ?? b ?? '', 16)),
    )
    .replace(rawMarks, ' ');
}
