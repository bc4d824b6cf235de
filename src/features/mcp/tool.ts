import type { Static, TObject } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import type { PublishedApi, ServerNames } from '../client/feature.ts';
import type { JsonObject } from '../../kernel/kit/json.ts';

/** What a tool may use while it runs. */
export interface ToolContext {
  /** The published operations, as the caller. */
  readonly api: PublishedApi;
  /** Names of the models for a caller who names none. */
  readonly names: (signal: AbortSignal) => Promise<ServerNames>;
  /** Tells the caller what is being done, where it wants to know. */
  readonly progress: (message: string) => void;
  readonly signal: AbortSignal;
}

export interface ToolResult {
  /** For the model that called. */
  readonly text: string;
  /** The same for a program, by the output schema. */
  readonly data: JsonObject;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: TObject;
  readonly outputSchema: TObject;
  /** What a client may assume of it before it calls. */
  readonly annotations: { readonly idempotentHint: boolean; readonly openWorldHint: boolean };
  /** Throws InputError for an input that the schema refuses, ApiError, and the signal's reason. */
  call(input: JsonObject, context: ToolContext): Promise<ToolResult>;
}

/** An input that does not fit. The message is for the model that called, which can do better. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

interface Declared<Input extends TObject> extends Omit<Tool, 'inputSchema' | 'call'> {
  readonly inputSchema: Input;
  readonly run: (input: Static<Input>, context: ToolContext) => Promise<ToolResult>;
}

/** Declares a tool: its schema is what clients are shown, what inputs are held against, and the type of the input. */
export function defineTool<Input extends TObject>({ run, ...tool }: Declared<Input>): Tool {
  const { inputSchema } = tool;
  return {
    ...tool,
    call(input, context) {
      if (!Check(inputSchema, input)) throw new InputError(describeProblem(inputSchema, input));
      return run(input, context);
    },
  };
}

function describeProblem(schema: TObject, input: JsonObject): string {
  const [, [first]] = Errors(schema, input);
  if (first === undefined) return 'The arguments are not valid.';
  const place = first.instancePath === '' ? 'arguments' : first.instancePath.slice(1).replaceAll('/', '.');
  // The words of the library for these two would help nobody to do better.
  if (first.keyword === 'boolean') return `${place}: unknown field`;
  if (first.keyword === 'enum') return `${place}: must be one of ${first.params.allowedValues.join(', ')}`;
  return `${place}: ${first.message}`;
}
