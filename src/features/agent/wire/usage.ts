import type { RunUsage } from '../events.ts';
import type { ModelPrice, ModelUsage } from '../../models/feature.ts';
import { addUsage, costPartsOf, freePrice, plainUsage } from '../../models/feature.ts';
import type { Billing } from '../../../kernel/http/operation.ts';

/** A usual word of a tokenizer; used only where no model reported a count. Unit: UTF-16 units. */
const unitsPerToken = 4;
const parts = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

/**
 * Meters the cost of a run. Each turn is charged at the price of the model that ran it; output of a turn that was
 * broken off is counted by length.
 */
export class RunMeter {
  readonly #inputEstimate: () => number;
  #price: ModelPrice = freePrice;
  #model: string | null = null;
  #usage: RunUsage = { model: plainUsage(0, 0), tools: {} };
  readonly #costs = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  /** Length of the output since the last count. */
  #units = 0;
  #isAsked = false;

  constructor(inputEstimate: () => number) {
    this.#inputEstimate = inputEstimate;
  }

  /** A model answers from here on: its canonical name and its price. */
  useModel(model: string, price: ModelPrice): void {
    this.#model = model;
    this.#price = price;
    this.#isAsked = true;
  }

  observeText(units: number): void {
    this.#units += units;
    this.#isAsked = true;
  }

  observe(usage: RunUsage): void {
    this.#add(difference(usage.model, this.#usage.model));
    this.#usage = usage;
    this.#units = 0;
    this.#isAsked = false;
  }

  /** Counts the output of a turn whose count will not come. */
  breakOff(): void {
    if (!this.#isAsked) return;
    const output = Math.ceil(this.#units / unitsPerToken);
    const input = this.#inputTokens() === 0 ? this.#inputEstimate() : 0;
    const more = plainUsage(input, output);
    this.#add(more);
    this.#usage = { ...this.#usage, model: addUsage(this.#usage.model, more) };
    this.#units = 0;
    this.#isAsked = false;
  }

  get isNothing(): boolean {
    const { model, tools } = this.#usage;
    return parts.every((part) => model[part] === 0) && Object.keys(tools).length === 0;
  }

  /** Contract 7.4. */
  toUsage() {
    const { model, tools } = this.#usage;
    const { input, output, cacheRead, cacheWrite } = this.#costs;
    const inputTokens = this.#inputTokens();
    const toolCost = this.#toolCost();
    return {
      input_tokens: inputTokens,
      output_tokens: model.output,
      total_tokens: inputTokens + model.output,
      input_tokens_details: {
        cache_creation_input_tokens: model.cacheWrite,
        cache_read_input_tokens: model.cacheRead,
        cached_tokens: model.cacheRead,
      },
      output_tokens_details: { reasoning_tokens: model.reasoning },
      tool_calls_details: mapTools(tools, ({ count, costUsd }) => ({ invocation: count, cost_usd: costUsd })),
      cost: {
        currency: 'USD',
        input_cost: input,
        output_cost: output,
        cache_creation_cost: cacheWrite,
        cache_read_cost: cacheRead,
        tool_calls_cost: toolCost,
        total_cost: input + output + cacheWrite + cacheRead + toolCost,
      },
    };
  }

  toBilling(): Billing {
    const { model, tools } = this.#usage;
    const hasTools = Object.keys(tools).length > 0;
    return {
      model: this.#model,
      inputTokens: this.#inputTokens(),
      outputTokens: model.output,
      ...(hasTools && { otherUnits: mapTools(tools, ({ count }) => count) }),
      costParts: { ...this.#costs, toolCalls: this.#toolCost() },
    };
  }

  #inputTokens(): number {
    const { input, cacheRead, cacheWrite } = this.#usage.model;
    return input + cacheRead + cacheWrite;
  }

  #toolCost(): number {
    return Object.values(this.#usage.tools).reduce((sum, { costUsd }) => sum + costUsd, 0);
  }

  #add(usage: ModelUsage): void {
    const more = costPartsOf(this.#price, usage);
    for (const part of parts) this.#costs[part] += more[part];
  }
}

function mapTools<To>(
  tools: RunUsage['tools'],
  to: (use: RunUsage['tools'][string]) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(tools).map(([name, use]) => [name, to(use)]));
}

function difference(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    input: a.input - b.input,
    output: a.output - b.output,
    cacheRead: a.cacheRead - b.cacheRead,
    cacheWrite: a.cacheWrite - b.cacheWrite,
    reasoning: a.reasoning - b.reasoning,
  };
}
