import { type Json, JsonError } from '../../../kernel/kit/json.ts';
import { parseJson } from '../../../kernel/kit/json-parse.ts';
import { fromBbh, isBbh } from './convert/bbh.ts';
import { fromBanking, fromClinc, isBanking, isClinc, type ClincOptions } from './convert/intents.ts';
import { parseJsonl, type Example } from './examples.ts';
import { ExampleError } from '../../../kernel/commands/exit-codes.ts';

export interface ReadExamples {
  readonly examples: readonly Example[];
  /** What the file is, in words. */
  readonly form: string;
  /** Entries that are neither yes/no nor one of their options. */
  readonly refused: number;
}

/** Bound on the nesting of files in other formats. */
const depthMax = 64;

/**
 * Reads a file of examples in any known form, which its content shows. Throws ExampleError when the form is unknown or
 * a line is wrong.
 */
export function readExamples(bytes: Uint8Array, source: string, options: ClincOptions): ReadExamples {
  const text = decode(bytes, source);
  if (isBanking(text)) return { form: 'BANKING77', examples: fromBanking(text, source), refused: 0 };
  if (!/^\s*[{[]/.test(text)) {
    throw new ExampleError(
      `${source}: not a known form; allowed: JSONL of state, question and answer, CSV of text,category (BANKING77), JSON of CLINC150 or BIG-Bench Hard`,
    );
  }
  const whole = parseWhole(text);
  if (whole !== null && isClinc(whole)) {
    return { form: 'CLINC150', examples: fromClinc(whole, options, source), refused: 0 };
  }
  if (whole !== null && isBbh(whole)) return { form: 'BIG-Bench Hard', ...fromBbh(whole, source) };
  return { form: 'JSONL', examples: parseJsonl(text, source), refused: 0 };
}

function decode(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ExampleError(`${source}: not UTF-8 text`);
  }
}

/** Null for a text that is not one JSON value: JSONL of more than one line. */
function parseWhole(text: string): Json | null {
  try {
    return parseJson(Buffer.from(text), { depthMax }).value;
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}
