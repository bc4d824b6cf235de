import { createBatches } from '../../kernel/kit/batches.ts';
import { parseWritten } from '../../kernel/kit/json-parse.ts';
import type { ToolCall, ToolResult } from '../models/feature.ts';
import {
  failure,
  type Tool,
  type ToolOutcome,
  type ToolProgress,
  type ToolRun,
  type ToolUse,
} from '../tools/feature.ts';
import type { AgentEvent } from './events.ts';

interface ToolStep {
  readonly calls: readonly ToolCall[];
  readonly tools: ReadonlyMap<string, Tool>;
  /** Calls beyond this are refused. */
  readonly callsMax: number;
  readonly thought: string;
  readonly run: Omit<ToolRun, 'report'>;
}

interface ToolStepResult {
  readonly results: readonly ToolResult[];
  readonly uses: readonly ToolUse[];
  /** Whether a tool looked for pages to cite. */
  readonly hasSearched: boolean;
}

/**
 * Runs the calls of one turn at the same time, emitting their progress as it comes and their items afterwards in the
 * order of the calls. A tool that fails is a result that says so; only an abort rejects.
 */
export async function* runToolStep(step: ToolStep): AsyncGenerator<readonly AgentEvent[], ToolStepResult> {
  const { calls, thought } = step;
  yield [{ type: 'tools-start', thought }];
  const { batches, push, end } = createBatches<ToolProgress>();
  const running = Promise.all(calls.map((call, place) => runCall(step, call, place, push)));
  running.then(end, end);
  for await (const batch of batches)
    yield batch.map((progress) => ({ type: 'progress', thought, progress }) as const);
  const outcomes = await running;
  yield [
    { type: 'tools-end', thought },
    ...outcomes.flatMap(({ items }) => items.map((item) => ({ type: 'item', item }) as const)),
  ];
  return {
    results: calls.map((call, place) => toResult(call, outcomes[place] ?? failure('The tool did not run.'))),
    uses: outcomes.flatMap(({ uses }) => uses),
    hasSearched: calls.some(
      ({ name }, place) => step.tools.get(name)?.cites === true && (outcomes[place]?.uses.length ?? 0) > 0,
    ),
  };
}

async function runCall(
  { tools, callsMax, run }: ToolStep,
  call: ToolCall,
  place: number,
  report: (progress: ToolProgress) => void,
): Promise<ToolOutcome> {
  run.signal.throwIfAborted();
  const tool = tools.get(call.name);
  if (tool === undefined) return failure('There is no tool of this name.');
  if (place >= callsMax) return failure('No more tool calls are allowed. Answer with what is known.');
  const args = parseArguments(call.arguments);
  if (args === undefined) return failure('The arguments are not valid JSON.');
  return tool.call(args, call.id, { ...run, report });
}

/** Integers keep every digit for a tool that passes them on. */
function parseArguments(text: string): unknown {
  try {
    return parseWritten(text === '' ? '{}' : text);
  } catch {
    // The outcome says so to the model.
    return undefined;
  }
}

function toResult({ id, name }: ToolCall, { text, isError }: ToolOutcome): ToolResult {
  return { callId: id, name, parts: [{ type: 'text', text }], isError };
}
