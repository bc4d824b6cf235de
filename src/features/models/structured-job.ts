import { Fault } from '../../kernel/faults.ts';
import type { JsonObject } from '../../kernel/kit/json.ts';
import { parseRegex } from './structured-pattern.ts';
import { createSchemaParser } from './structured-schema.ts';
import type { LocalCheck, Verdict } from './structured.ts';

/** The format that a caller wants. `param` names it in the request. */
export type Wanted =
  | { readonly kind: 'schema'; readonly schema: JsonObject; readonly param: string }
  | { readonly kind: 'regex'; readonly regex: string; readonly param: string };

/** Without a text: whether it can be checked at all. */
export interface StructuredJob {
  readonly wanted: Wanted;
  readonly text: string | null;
}

export type StructuredReply =
  | { readonly kind: 'ready'; readonly instruction: string }
  | { readonly kind: 'checked'; readonly verdict: Verdict }
  | { readonly kind: 'invalid'; readonly message: string };

/** Checks that are kept compiled; a run checks its answer with what its request was tried with. */
const keptMax = 32;

export function createStructuredWork(): (job: StructuredJob) => StructuredReply {
  const parseSchema = createSchemaParser();
  const kept = new Map<string, LocalCheck>();
  const checkOf = (wanted: Wanted): LocalCheck => {
    const key = JSON.stringify(wanted);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made =
      wanted.kind === 'schema'
        ? parseSchema(wanted.schema, wanted.param)
        : parseRegex(wanted.regex, wanted.param);
    const [oldest] = kept.keys();
    if (kept.size >= keptMax && oldest !== undefined) kept.delete(oldest);
    kept.set(key, made);
    return made;
  };
  return ({ wanted, text }) => {
    try {
      const check = checkOf(wanted);
      if (text === null) return { kind: 'ready', instruction: check.instruction };
      return { kind: 'checked', verdict: check.check(text) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { kind: 'invalid', message: error.message };
    }
  };
}
