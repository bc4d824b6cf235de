import type { Caller } from '../../kernel/kit/caller.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/kit/json.ts';
import type { ModelRequest, Models } from '../models/feature.ts';

/** Timeout of one planning request. Unit: ms. */
const timeoutMs = 60_000;
const answerCharsMax = 20_000;

export interface Question {
  readonly system: string;
  readonly text: string;
  /** Schema of the answer. */
  readonly schema: JsonObject;
  readonly tokensMax: number;
}

interface GeneratorDependencies {
  readonly models: Models;
  readonly onFailure: OnFailure;
}

interface GeneratorOptions extends Caller {
  /** Name of the model. */
  readonly name: string;
}

/**
 * Asks a model for small JSON objects beside the answer itself. Returns null on failure: a plan that fails costs quality
 * and not the answer, and a model that is down fails again when the answer is asked for. Only an abort rejects.
 */
export class StructuredGenerator {
  readonly #models: Models;
  readonly #onFailure: OnFailure;
  readonly #name: string;
  readonly #account: string;
  readonly #signal: AbortSignal;
  #output = 0;

  constructor({ models, onFailure }: GeneratorDependencies, { name, account, signal }: GeneratorOptions) {
    this.#models = models;
    this.#onFailure = onFailure;
    this.#name = name;
    this.#account = account;
    this.#signal = signal;
  }

  /** Whether there is a model that writes. */
  get generates(): boolean {
    return this.#models.find(this.#name)?.capabilities.generates ?? true;
  }

  /** Output of all questions so far. Unit: tokens. */
  get output(): number {
    return this.#output;
  }

  async ask(question: Question): Promise<JsonObject | null> {
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const text = await this.#read(
        { ...toRequest(question), account: this.#account },
        AbortSignal.any([this.#signal, deadline]),
      );
      return parseObject(text);
    } catch (error) {
      this.#signal.throwIfAborted();
      this.#onFailure('plan or note', error);
      return null;
    }
  }

  async #read(request: ModelRequest, signal: AbortSignal): Promise<string> {
    const { events } = await this.#models.open([this.#name], request, signal);
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
    system: [system, form],
    turns: [{ role: 'user', parts: [{ type: 'text', text }] }],
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: false,
    format: { type: 'json-schema', name: 'answer', schema, description: null, strict: true },
    outputTokensMax: tokensMax,
    stop: [],
    temperature: 0,
    topP: null,
    topK: null,
    presencePenalty: null,
    frequencyPenalty: null,
    seed: null,
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
  return [...new Set(texts.map((text) => text.slice(0, charsMax)))].slice(0, countMax);
}
