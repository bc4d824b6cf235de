import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { tokenText, type Candidate } from './labels.ts';

/** A nested field of a response; undefined when it is absent. */
export function field(value: Json | undefined, ...names: readonly (string | number)[]): Json | undefined {
  let found = value;
  for (const name of names) {
    if (typeof name === 'number') found = Array.isArray(found) ? (found as readonly Json[])[name] : undefined;
    else found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Alternatives at the first token of a chat answer; empty when the server gave none. */
export function fromChat(body: Json): Candidate[] {
  return fromPosition(field(body, 'choices', 0, 'logprobs', 'content', 0));
}

/** Ollama's own interface puts them at the top. */
export function fromOllama(body: Json): Candidate[] {
  return fromPosition(field(body, 'logprobs', 0));
}

/** `top_logprobs` as a list (chat) or, after sampling at llama-server, `top_probs` with probabilities. */
function fromPosition(position: Json | undefined): Candidate[] {
  const listed = field(position, 'top_logprobs') ?? field(position, 'top_probs');
  const found = listOf(listed).flatMap(toCandidate);
  const [own] = position === undefined ? [] : toCandidate(position);
  // Some servers do not list the sampled token.
  if (own !== undefined && !found.some(({ id, text }) => id === own.id && text === own.text)) found.push(own);
  return found;
}

function toCandidate(entry: Json): Candidate[] {
  const token = field(entry, 'token');
  const logprob = logprobOf(entry);
  if (typeof token !== 'string' || logprob === null) return [];
  const id = field(entry, 'id');
  const bytes = listOf(field(entry, 'bytes')).filter((byte) => typeof byte === 'number');
  return [
    {
      text: tokenText(token, bytes.length === 0 ? null : bytes),
      id: typeof id === 'number' ? id : null,
      logprob,
    },
  ];
}

function logprobOf(entry: Json): number | null {
  const logprob = field(entry, 'logprob');
  if (typeof logprob === 'number') return logprob;
  const p = field(entry, 'prob');
  return typeof p === 'number' && p >= 0 && p <= 1 ? Math.log(p) : null;
}

/** The older interface: `top_logprobs` maps tokens to logprobs. */
export function fromCompletions(body: Json): Candidate[] {
  const listed = field(body, 'choices', 0, 'logprobs', 'top_logprobs', 0);
  return Object.entries(isJsonObject(listed) ? listed : {}).flatMap(([token, logprob]) =>
    typeof logprob === 'number' ? [{ text: tokenText(token, null), id: null, logprob }] : [],
  );
}

/** SGLang's `/generate`: `[logprob, id, text]` for each token that was named. */
export function fromGenerate(body: Json): Candidate[] {
  return listOf(field(body, 'meta_info', 'output_token_ids_logprobs', 0)).flatMap((entry) => {
    const [logprob, id] = listOf(entry);
    return typeof logprob === 'number' && typeof id === 'number' ? [{ text: '', id, logprob }] : [];
  });
}

/** Ids of the rendered prompt, which SGLang returns with a chat answer on request. */
export function promptIdsOf(body: Json): readonly number[] {
  const ids = field(body, 'choices', 0, 'prompt_token_ids') ?? field(body, 'prompt_token_ids');
  return listOf(ids).filter((id) => typeof id === 'number');
}

/** Text of a chat answer; null when it is missing or was cut off. */
export function contentOf(body: Json): string | null {
  const content = field(body, 'choices', 0, 'message', 'content');
  const finish = field(body, 'choices', 0, 'finish_reason');
  return typeof content === 'string' && finish !== 'length' ? content : null;
}
