import type { Json } from '../../../kernel/kit/json.ts';
import { parseJson } from '../../../kernel/kit/json-parse.ts';
import { JsonError } from '../../../kernel/kit/json-error.ts';
import { fromBanking, isBanking } from './convert/banking.ts';
import { fromBbh, isBbh } from './convert/bbh.ts';
import { fromClinc, isClinc, type ClincOptions } from './convert/clinc.ts';
import { parseJsonl, type Example } from './examples.ts';
import { ExampleError } from '../../../kernel/commands/exit-codes.ts';

export interface ReadExamples {
  readonly examples: readonly Example[];
  /** What the file is, in words. */
  readonly form: string;
  /** Entries that are no question of ours. */
  readonly refused: number;
}

/** What a foreign file nests is not asked of anybody, but has to end somewhere. */
const depthMax = 64;

/**
 * Reads a file of examples of any form that is known, told apart by content. Throws ExampleError when it is of no
 * form or when a line is wrong.
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
