import type { Caller } from '../../kernel/kit/caller.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/kit/json.ts';
import { beginningOf } from '../../kernel/kit/text.ts';
import { emptyRequest, type ModelRequest, type Models } from '../models/feature.ts';

const timeoutMs = 60_000;
const answerCharsMax = 20_000;

interface Question {
  readonly system: string;
  readonly text: string;
  readonly schema: JsonObject;
  readonly tokensMax: number;
}

interface GeneratorOptions extends Caller {
  readonly models: Models;
  readonly onFailure: OnFailure;
  readonly name: string;
}

/**
 * Asks a model for small JSON objects beside the answer itself. Returns null on failure: a plan that fails costs quality
 * and not the answer, and a model that is down fails again when the answer is asked for. Only an abort rejects.
 */
export class StructuredGenerator {
  readonly #options: GeneratorOptions;
  #output = 0;

  constructor(options: GeneratorOptions) {
    this.#options = options;
  }

  /** Whether there is a model that writes. */
  get generates(): boolean {
    return this.#options.models.find(this.#options.name)?.capabilities.generates ?? true;
  }

  /** Output of all questions so far. Unit: tokens. */
  get output(): number {
    return this.#output;
  }

  async ask(question: Question): Promise<JsonObject | null> {
    const { account, signal, onFailure } = this.#options;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      return parseObject(await this.#read({ ...toRequest(question), account }, limited));
    } catch (error) {
      signal.throwIfAborted();
      onFailure('plan or note', error);
      return null;
    }
  }

  async #read(request: ModelRequest, signal: AbortSignal): Promise<string> {
    const { models, name } = this.#options;
    const { events } = await models.open([name], request, signal);
    let text = '';
    for await (const batch of events) {
      for (const event of batch) {
        if (event.type === 'text-delta') text += event.text;
        else if (event.type === 'usage') this.#output += event.usage.output;
      }
      if (text.length > answerCharsMax) break;
    }
    return text;
  }
}

function toRequest({ system, text, schema, tokensMax }: Question): ModelRequest {
  const form = `Answer with only one JSON object that is valid against this JSON Schema: ${JSON.stringify(schema)}`;
  return {
    ...emptyRequest,
    system: [system, form],
    turns: [{ role: 'user', parts: [{ type: 'text', text }] }],
    parallelToolCalls: false,
    format: { type: 'json-schema', name: 'answer', schema, description: null, strict: true },
    outputTokensMax: tokensMax,
    temperature: 0,
    effort: 'low',
  };
}

/** The first object of a text: models put words and fences around it. */
function parseObject(text: string): JsonObject | null {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (from < 0 || to < from) return null;
  try {
    const value = JSON.parse(text.slice(from, to + 1)) as Json;
    return isJsonObject(value) ? value : null;
  } catch {
    // The model wrote something else.
    return null;
  }
}

/** Texts of a list, each trimmed and cut, none empty and none twice. */
export function readTexts(value: Json | undefined, countMax: number, charsMax: number): readonly string[] {
  const list = Array.isArray(value) ? (value as readonly Json[]) : [];
  const texts = list.flatMap((text) => (typeof text === 'string' && text.trim() !== '' ? [text.trim()] : []));
  return [...new Set(texts.map((text) => beginningOf(text, charsMax)))].slice(0, countMax);
}
