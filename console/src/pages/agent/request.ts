import { isRecord } from '../../api/failure.ts';
import type { AgentResponse } from './wire.ts';
import { parseWithDigits } from '../../parts/written-number.ts';

export const presets: readonly { readonly name: string; readonly about: string }[] = [
  { name: 'fast-search', about: 'one search and a short answer' },
  { name: 'pro-search', about: 'several parts; reads pages' },
  { name: 'deep-research', about: 'research' },
  { name: 'advanced-deep-research', about: 'research that reads many pages' },
];

export const builtInTools = [
  { type: 'web_search', label: 'Web search', about: 'searches the index and the web' },
  { type: 'fetch_url', label: 'Read pages', about: 'by their address' },
  { type: 'people_search', label: 'People search', about: 'with an engine that knows persons' },
  { type: 'finance_search', label: 'Finance search', about: 'figures of companies' },
  { type: 'sandbox', label: 'Run code', about: 'in the sandbox' },
] as const;

export type BuiltInTool = (typeof builtInTools)[number]['type'];

/** What the form holds. */
export interface AgentSettings {
  /** `preset:pro-search` or `model:svc/svc`. */
  readonly runsOn: string;
  readonly tools: readonly BuiltInTool[];
  /** JSON: a list of functions, '' for none. */
  readonly functions: string;
  readonly instructions: string;
  readonly maxSteps: number | null;
  readonly background: boolean;
  readonly store: boolean;
}

export const firstSettings: AgentSettings = {
  runsOn: 'preset:pro-search',
  tools: [],
  functions: '',
  instructions: '',
  maxSteps: null,
  background: false,
  store: true,
};

export const functionsExample = `[
  {
    "name": "get_weather",
    "description": "The weather of a place",
    "parameters": {
      "type": "object",
      "properties": { "place": { "type": "string" } },
      "required": ["place"]
    }
  }
]`;

/** What stands in the way of the functions as they were typed; null where nothing does. */
export function functionsProblem(text: string): string | null {
  try {
    readFunctions(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Throws an Error that says what is wrong. */
function readFunctions(text: string): readonly object[] {
  if (text.trim() === '') return [];
  const value = parseWithDigits(text);
  const all = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return all.map((one) => {
    if (!isRecord(one) || typeof one['name'] !== 'string') throw new Error('Each function needs a "name".');
    return { ...one, type: 'function' };
  });
}

/** An input of text, or the outputs of functions that were called. */
export type AgentInput = string | readonly FunctionOutput[];

export interface FunctionOutput {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string;
}

/**
 * The body of a request, without what makes it a stream. Tools and instructions are sent each time: a response does not
 * take them over from the one that it follows. Throws when the functions cannot be read.
 */
export function toAgentRequest(
  settings: AgentSettings,
  input: AgentInput,
  previousId: string | null,
): Readonly<Record<string, unknown>> {
  const { runsOn, tools, functions, instructions, maxSteps, background, store } = settings;
  const at = runsOn.indexOf(':');
  const all = [...tools.map((type) => ({ type })), ...readFunctions(functions)];
  return {
    [runsOn.slice(0, at)]: runsOn.slice(at + 1),
    input,
    ...(previousId === null ? {} : { previous_response_id: previousId }),
    ...(instructions.trim() === '' ? {} : { instructions: instructions.trim() }),
    ...(all.length === 0 ? {} : { tools: all }),
    ...(maxSteps === null ? {} : { max_steps: maxSteps }),
    ...(background ? { background } : {}),
    ...(store ? {} : { store }),
  };
}

/** The request that sends function outputs to a response: from its own request, else from the response itself. */
export function toFollowingRequest(
  response: Omit<AgentResponse, 'output'>,
  request: Readonly<Record<string, unknown>> | null,
  outputs: readonly FunctionOutput[],
): Readonly<Record<string, unknown>> {
  const { id, model, tools, instructions, max_steps, background, store } = response;
  const known = {
    model,
    max_steps,
    ...(tools.length === 0 ? {} : { tools }),
    ...(instructions === null ? {} : { instructions }),
    ...(background ? { background } : {}),
    ...(store ? {} : { store }),
  };
  return { ...(request ?? known), input: outputs, previous_response_id: id };
}
