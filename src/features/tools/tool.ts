import type { Json } from '../../kernel/kit/json.ts';
import type { FunctionTool } from '../models/feature.ts';
import type { SandboxFile } from '../sandbox/feature.ts';
import type { Found } from '../search/feature.ts';

/** A found page under the number by which texts of one run cite it. */
export interface Source extends Found {
  /** Unique per URL within a run; the first seen gets the next number, from 1. */
  readonly id: number;
}

type Tagged<Types> = { [Type in keyof Types]: { readonly type: Type } & Types[Type] }[keyof Types];

/** The results that tools hand to the caller, by type. Each tool declares its own here by merging. */
export interface ToolItems {}
export type ToolItem = Tagged<ToolItems>;

/** Events that tools report while they work, by type. Each tool declares its own here by merging. */
export interface ToolProgresses {}
export type ToolProgress = Tagged<ToolProgresses>;

/** Uses of a tool under the name by which they are billed. Units: uses, USD. */
export interface ToolUse {
  readonly name: string;
  readonly count: number;
  readonly costUsd: number;
}

export interface ToolOutcome {
  readonly items: readonly ToolItem[];
  /** The text that the model reads: data, delimited as such. */
  readonly text: string;
  readonly isError: boolean;
  readonly uses: readonly ToolUse[];
}

/** State that the tools of one run share. */
export interface ToolRun {
  readonly accountId: string;
  /** Gives a page its number, the old one when it was seen before. */
  readonly cite: (found: Found) => Source;
  /** Every source found so far. */
  readonly sources: () => readonly Source[];
  /** Kept between calls of the sandbox of one run. */
  readonly files: Map<string, SandboxFile>;
  readonly signal: AbortSignal;
  readonly report: (progress: ToolProgress) => void;
}

/**
 * One built-in tool, configured for a run. A failure of the services that it asks is an outcome with `isError`, so that
 * the model can go on; only an abort rejects.
 */
export interface Tool {
  /** As the model calls it. */
  readonly definition: FunctionTool;
  /** Whether a use of it finds pages to cite, or none. */
  readonly cites?: boolean;
  /** The item by which the caller is asked before a call with these arguments; absent where it is not. */
  readonly ask?: (written: string) => ToolItem;
  /** `args` are parsed JSON of the model; the tool checks them and says in its outcome what is wrong. */
  call(args: unknown, callId: string, run: ToolRun): Promise<ToolOutcome>;
}

/** JSON Schema of the arguments of a tool: an object whose properties are all known. */
export function parametersOf(
  properties: Readonly<Record<string, Readonly<Record<string, Json>>>>,
  required: readonly string[] = Object.keys(properties),
) {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}

/** JSON Schema of a list of 1 to `maxItems` texts. */
export function textList(maxItems: number, description: string) {
  return { type: 'array', items: { type: 'string' }, minItems: 1, maxItems, description };
}
