import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { at, listAt, numberAt, textAt } from '../../../../kernel/kit/json-path.ts';
import { tokenText, type Candidate } from './labels.ts';

/** Alternatives at the first token of a chat answer; empty when the server gave none. */
export function fromChat(body: Json): Candidate[] {
  return fromPosition(at(body, 'choices', 0, 'logprobs', 'content', 0));
}

/** Ollama's own interface puts them at the top. */
export function fromOllama(body: Json): Candidate[] {
  return fromPosition(at(body, 'logprobs', 0));
}

/** `top_logprobs` as a list (chat) or, after sampling at llama-server, `top_probs` with probabilities. */
function fromPosition(position: Json | undefined): Candidate[] {
  const found = listAt(at(position, 'top_logprobs') ?? at(position, 'top_probs')).flatMap(toCandidate);
  const [own] = position === undefined ? [] : toCandidate(position);
  // Some servers do not list the sampled token.
  if (own !== undefined && !found.some(({ id, text }) => id === own.id && text === own.text)) found.push(own);
  return found;
}

function toCandidate(entry: Json): Candidate[] {
  const token = textAt(entry, 'token');
  const logprob = logprobOf(entry);
  if (token === null || logprob === null) return [];
  const bytes = listAt(entry, 'bytes').filter((byte) => typeof byte === 'number');
  return [{ text: tokenText(token, bytes), id: numberAt(entry, 'id'), logprob }];
}

function logprobOf(entry: Json): number | null {
  const p = numberAt(entry, 'prob');
  return numberAt(entry, 'logprob') ?? (p !== null && p >= 0 && p <= 1 ? Math.log(p) : null);
}

/** The older interface: `top_logprobs` maps tokens to logprobs. */
export function fromCompletions(body: Json): Candidate[] {
  const listed = at(body, 'choices', 0, 'logprobs', 'top_logprobs', 0);
  return Object.entries(isJsonObject(listed) ? listed : {}).flatMap(([token, logprob]) =>
    typeof logprob === 'number' ? [{ text: tokenText(token, null), id: null, logprob }] : [],
  );
}

/** SGLang's `/generate`: `[logprob, id, text]` for each token that was named. */
export function fromGenerate(body: Json): Candidate[] {
  return listAt(body, 'meta_info', 'output_token_ids_logprobs', 0).flatMap((entry) => {
    const [logprob, id] = listAt(entry);
    return typeof logprob === 'number' && typeof id === 'number' ? [{ text: '', id, logprob }] : [];
  });
}

/** Ids of the rendered prompt, which SGLang returns with a chat answer on request. */
export function promptIdsOf(body: Json): readonly number[] {
  const ids = at(body, 'choices', 0, 'prompt_token_ids') ?? at(body, 'prompt_token_ids');
  return listAt(ids).filter((id) => typeof id === 'number');
}

/** Text of a chat answer; null when it is missing or was cut off. */
export function contentOf(body: Json): string | null {
  if (at(body, 'choices', 0, 'finish_reason') === 'length') return null;
  return textAt(body, 'choices', 0, 'message', 'content');
}
