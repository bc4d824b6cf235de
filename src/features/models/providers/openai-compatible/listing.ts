import { countOf, isList, listOf, objectOf } from '../../../../kernel/kit/json-fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { ModelPrice } from '../../model.ts';
import { familyOfEntry, type ServerFamily } from './quirks.ts';

/** One entry of `GET /models`. Null for what the server does not publish. */
export interface ListedModel {
  readonly name: string;
  readonly created: number;
  readonly ownedBy: string | null;
  readonly contextTokensMax: number | null;
  readonly outputTokensMax: number | null;
  readonly price: ModelPrice | null;
  readonly images: boolean | null;
  readonly documents: boolean | null;
  readonly tools: boolean | null;
  readonly reasoning: boolean | null;
  readonly jsonSchema: boolean | null;
}

export interface Listing {
  readonly models: readonly ListedModel[];
  readonly family: ServerFamily | null;
}

const modelsMax = 5_000;
const nameLengthMax = 256;

/** A model that the server does not list. */
export const unlisted = (name: string): ListedModel => ({ ...fieldsOf({}), name });

/** Reads the list in the shapes in use; null when it is none. */
export function fromListing(body: Json): Listing | null {
  const list = isJsonObject(body) ? (body['data'] ?? body['models']) : body;
  if (!isList(list)) return null;
  const entries = list.filter(isJsonObject).slice(0, modelsMax);
  const models = entries.flatMap((entry) => fromEntry(entry) ?? []);
  const [first] = entries;
  return { models, family: first === undefined ? null : familyOfEntry(first) };
}

function fromEntry(entry: JsonObject): ListedModel | null {
  // Gemini writes models/gemini-…; either is taken, and the short one is what people know.
  const name = textOf(entry['id'] ?? entry['name'])?.replace(/^models\//, '');
  if (name === undefined || name === '' || name.length > nameLengthMax) return null;
  return { ...fieldsOf(entry), name };
}

function fieldsOf(entry: JsonObject): Omit<ListedModel, 'name'> {
  const meta = objectOf(entry['meta']);
  const provider = objectOf(entry['top_provider']);
  const supported = listOf(entry['supported_parameters']);
  const inputs = listOf(objectOf(entry['architecture'])['input_modalities']);
  return {
    created: countOf(entry['created']) ?? 0,
    ownedBy: textOf(entry['owned_by']),
    contextTokensMax:
      // vLLM, SGLang; OpenRouter; Groq; Mistral and LM Studio; llama-server.
      countOf(entry['max_model_len']) ??
      countOf(provider['context_length']) ??
      countOf(entry['context_length']) ??
      countOf(entry['context_window']) ??
      countOf(entry['max_context_length']) ??
      countOf(meta['n_ctx']) ??
      countOf(meta['n_ctx_train']),
    outputTokensMax: countOf(provider['max_completion_tokens']) ?? countOf(entry['max_completion_tokens']),
    price: toPrice(objectOf(entry['pricing'])),
    images: inputs && inputs.includes('image'),
    documents: inputs && inputs.includes('file'),
    tools: supported && supported.includes('tools'),
    reasoning: supported && supported.includes('reasoning'),
    jsonSchema: supported && supported.includes('structured_outputs'),
  };
}

/** OpenRouter publishes USD per token, as text. */
function toPrice(pricing: JsonObject): ModelPrice | null {
  const input = priceOf(pricing['prompt']);
  const output = priceOf(pricing['completion']);
  if (input === null || output === null) return null;
  return {
    input,
    output,
    cacheRead: priceOf(pricing['input_cache_read']) ?? input,
    cacheWrite: priceOf(pricing['input_cache_write']) ?? input,
  };
}

/** Rounded to what a price list says: 0.0000025 × 1,000,000 is not 2.5 in float64. */
function priceOf(value: Json | undefined): number | null {
  const price = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof price !== 'number' || !Number.isFinite(price) || price < 0) return null;
  return Number((price * 1_000_000).toPrecision(12));
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
