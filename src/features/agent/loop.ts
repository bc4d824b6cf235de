import { Fault } from '../../kernel/faults.ts';
import { beginningOf } from '../../kernel/kit/text.ts';
import type {
  FinishReason,
  FunctionTool,
  ModelRequest,
  ModelUsage,
  ToolCall,
  ToolChoice,
  ToolResult,
  Turn,
  UserPart,
  Models,
  OutputCheck,
  StructuredAttempt,
} from '../models/feature.ts';
import { addUsage, askStructured, plainUsage } from '../models/feature.ts';
import type { Tool, ToolRun, ToolUse } from '../tools/feature.ts';
import type { RunVerification } from '../verification/feature.ts';
import { CitationFilter } from './citation-filter.ts';
import type { AgentEvent, RunUsage } from './events.ts';
import { CitationIndex } from './citation-index.ts';
import { askEvents, openRemotes, type RemoteTools } from './remote-tools.ts';
import { runToolStep } from './tool-step.ts';
import { TurnReader } from './turn-reader.ts';
import { verified } from './verified.ts';

export interface AgentRun {
  /** Names of models, asked in this order. */
  readonly names: readonly string[];
  readonly request: Omit<ModelRequest, 'tools' | 'toolChoice' | 'parallelToolCalls' | 'sources' | 'account'>;
  /** Tools that run here, configured for this run. */
  readonly tools: readonly Tool[];
  /** Servers of others with more tools, which are asked for them when the run begins. */
  readonly remotes?: RemoteTools;
  /** Functions of the caller: a call of one ends the run. */
  readonly functions: readonly FunctionTool[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  /** Turns in which tools may be called. After them comes one without. */
  readonly stepsMax: number;
  readonly toolCallsMax: number;
  /** Checks the text before any of it is emitted; null accepts any text. */
  readonly check: OutputCheck | null;
  /**
   * Queries to search for before the first turn. Empty leaves searching to the model, if it can call tools; for one that
   * cannot, the last question is searched for.
   */
  readonly seed: readonly string[];
  readonly accountId: string;
  /** Sources found or attached before the run, which may cite them. */
  readonly sources?: CitationIndex;
  readonly files?: ToolRun['files'];
  /** Null and absent verify nothing; neither is text verified that has to pass a check. */
  readonly verification?: RunVerification | null;
}

/** Tools that take `queries`, by their names. */
const searchTools = ['web_search', 'file_search'];
/** Ends of a turn after which there has to be output. */
const needsOutput: ReadonlySet<FinishReason> = new Set(['end', 'tool-calls', 'content-filter']);
const answerNow = 'Answer now, in words, with what is known. No tool can be called.';

/**
 * Answers with a model, tools and sources. Steps until the model answers without calling a tool, calls a function of the
 * caller, or has used its steps; then it is asked once more without tools. An empty turn is repeated once, so that a run
 * always ends with text, a call or an error. Throws what models throw, and Fault `model_no_answer`; tools never do.
 */
export function runAgent(
  run: AgentRun,
  models: Models,
  signal: AbortSignal,
): AsyncGenerator<readonly AgentEvent[]> {
  const sources = run.sources ?? new CitationIndex();
  const events = new Run(run, models, signal, sources).events();
  const { verification = null, accountId, check } = run;
  if (verification === null || check !== null) return events;
  return verified(events, verification, { account: accountId, signal }, sources);
}

/** What a run asks a model first, if nothing is searched for before. Tools of other servers are not among its tools. */
export function firstRequest(run: AgentRun, models: Models): ModelRequest {
  return new Run(run, models, new AbortController().signal, new CitationIndex()).first();
}

class Run {
  readonly #run: AgentRun;
  readonly #models: Models;
  readonly #signal: AbortSignal;
  readonly #sources: CitationIndex;
  readonly #files: ToolRun['files'];
  readonly #tools: Map<string, Tool>;
  readonly #uses = new Map<string, Omit<ToolUse, 'name'>>();
  #turns: readonly Turn[];
  #names: readonly string[];
  #usage = plainUsage(0, 0);
  #callsLeft: number;
  #hasSearched: boolean;
  #hasOutput = false;
  #isRepeated = false;

  constructor(run: AgentRun, models: Models, signal: AbortSignal, sources: CitationIndex) {
    this.#run = run;
    this.#models = models;
    this.#signal = signal;
    this.#sources = sources;
    this.#files = run.files ?? new Map();
    this.#tools = new Map(run.tools.map((tool) => [tool.definition.name, tool]));
    this.#turns = run.request.turns;
    this.#names = run.names;
    this.#callsLeft = run.toolCallsMax;
    this.#hasSearched = run.sources !== undefined;
  }

  first(): ModelRequest {
    return this.#request(this.#mayCallTools(0), 0);
  }

  async *events(): AsyncGenerator<readonly AgentEvent[]> {
    try {
      yield* this.#openRemotes();
      yield* this.#steps();
    } finally {
      // Nobody waits for servers to hear that a run is over.
      for (const server of this.#run.remotes?.servers ?? []) void server.close();
    }
  }

  async *#steps(): AsyncGenerator<readonly AgentEvent[]> {
    yield* this.#seed();
    for (let step = 0; ; step++) {
      const isToolTurn = this.#mayCallTools(step);
      const request = this.#request(isToolTurn, step);
      const reader = this.#reader(isToolTurn, request.toolChoice === 'none');
      yield* this.#ask(reader, request, step);
      yield [...reader.end(), this.#usageEvent(reader.usage)];
      // A model that calls a tool which it was not given gets no further.
      const called = isToolTurn ? reader.toolCalls : [];
      const calls = called.filter(({ name }) => this.#tools.get(name)?.ask === undefined);
      if (calls.length > 0) yield* this.#answerCalls(reader.thought, reader.raw, calls);
      const { functionCalls } = reader;
      if (isToolTurn) yield [...askEvents(called, this.#tools), ...callEvents(reader)];
      const waits = functionCalls.length > 0 || called.length > calls.length;
      this.#hasOutput ||= reader.hasOutput || waits;
      if (calls.length > 0 && !waits) continue;
      const { reason, stopSequence } = reader.finish ?? unfinished();
      if (this.#repeats(reason)) continue;
      yield [{ type: 'end', reason: endReason(reason, waits), stopSequence }];
      return;
    }
  }

  async *#openRemotes(): AsyncGenerator<readonly AgentEvent[]> {
    const { remotes, toolChoice, toolCallsMax, accountId, functions } = this.#run;
    if (remotes === undefined || toolChoice === 'none' || toolCallsMax === 0) return;
    const names = [...this.#tools.keys(), ...functions.map(({ name }) => name)];
    const tools = yield* openRemotes(remotes, { names, accountId, signal: this.#signal });
    for (const tool of tools) this.#tools.set(tool.definition.name, tool);
    if (remotes.approved.length > 0) yield* this.#answerCalls('', '', remotes.approved);
  }

  #mayCallTools(step: number): boolean {
    const { stepsMax, toolChoice } = this.#run;
    const isLeft = step < stepsMax && this.#callsLeft > 0;
    return this.#tools.size > 0 && toolChoice !== 'none' && isLeft && this.#canCall();
  }

  /** Whether a model without output is asked again. A limit or a stop sequence may leave none. */
  #repeats(reason: FinishReason): boolean {
    if (this.#hasOutput || !needsOutput.has(reason)) return false;
    if (this.#isRepeated || reason === 'content-filter') throw new Fault('model_no_answer');
    this.#isRepeated = true;
    this.#turns = [...this.#turns, { role: 'user', parts: [{ type: 'text', text: answerNow }] }];
    return true;
  }

  /** Whether the first model can call tools; a fallback that cannot is asked the same. */
  #canCall(): boolean {
    return this.#capabilities?.tools ?? false;
  }

  get #capabilities() {
    return this.#models.find(this.#names[0] ?? '')?.capabilities;
  }

  #reader(isToolTurn: boolean, isForbidden: boolean): TurnReader {
    // Without a search there are no markers, and brackets in JSON are not any. One that found nothing has none either.
    const cites = this.#run.check === null && this.#hasSearched;
    return new TurnReader({
      filter: () => (cites ? new CitationFilter(this.#sources) : null),
      isToolTurn,
      // A call although no tool may be called is dropped like that of an unknown tool.
      isTool: (name) =>
        isForbidden || this.#tools.has(name) || !this.#run.functions.some((tool) => tool.name === name),
    });
  }

  /** Searches before the model is asked, where the caller plans or the model cannot. */
  async *#seed(): AsyncGenerator<readonly AgentEvent[]> {
    const name = searchTools.find((one) => this.#tools.has(one));
    if (name === undefined || this.#run.toolCallsMax === 0) return;
    const asked = beginningOf(lastQuestion(this.#turns), queryCharsMax);
    const isPlanned = this.#run.seed.length > 0 || this.#canCall() || asked === '';
    const queries = isPlanned ? this.#run.seed : [asked];
    if (queries.length === 0) return;
    const call = { id: 'call_seed', name, arguments: JSON.stringify({ queries }) };
    const results = yield* this.#runTools('', [call]);
    // A model that only quotes reads the passages themselves.
    if (!(this.#capabilities?.generates ?? true)) return;
    this.#turns = appendToQuestion(
      this.#turns,
      results.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))),
    );
  }

  async *#ask(
    reader: TurnReader,
    request: ModelRequest,
    step: number,
  ): AsyncGenerator<readonly AgentEvent[]> {
    const { check } = this.#run;
    if (check !== null) return yield* this.#askChecked(reader, request, step, check);
    const opened = await this.#models.open(this.#names, request, this.#signal);
    const settled = this.#settleOn(opened.name, step);
    if (settled.length > 0) yield settled;
    for await (const batch of opened.events) {
      const events = reader.read(batch);
      if (events.length > 0) yield events;
    }
  }

  /** Attempts that came to nothing are told as used, before their failure is. */
  async *#askChecked(
    reader: TurnReader,
    request: ModelRequest,
    step: number,
    check: OutputCheck,
  ): AsyncGenerator<readonly AgentEvent[]> {
    const attempts: StructuredAttempt[] = [];
    try {
      const { opened, events } = await askStructured({
        request,
        check,
        // An expression is enforced by no model.
        enforced: request.format.type === 'json-schema' && (this.#capabilities?.jsonSchema ?? false),
        ask: (asked) => this.#models.open(this.#names, asked, this.#signal),
        onAttempt: (attempt) => void attempts.push(attempt),
      });
      yield [...this.#settleOn(opened.name, step), ...reader.read(events)];
    } catch (error) {
      const last = attempts.at(-1);
      if (last !== undefined) yield [...this.#settleOn(last.name, step), this.#usageEvent(last.usage)];
      throw error;
    }
  }

  /** The rest of a run stays with the model that began it, and with those after it. */
  #settleOn(name: string, step: number): AgentEvent[] {
    const isSame = name === this.#names[0] && step > 0;
    this.#names = this.#names.slice(Math.max(0, this.#names.indexOf(name)));
    return isSame ? [] : [{ type: 'model', name }];
  }

  #request(isToolTurn: boolean, step: number): ModelRequest {
    const { request, functions, toolChoice, parallelToolCalls, accountId: account } = this.#run;
    const own = [...this.#tools.values()].map(({ definition }) => definition);
    // Earlier calls in the turns need their tools beside them: so the last turn keeps them and may not use them.
    const isClosed = !isToolTurn && functions.length === 0 && own.length > 0 && this.#canCall();
    const tools = isToolTurn || isClosed ? [...own, ...functions] : functions;
    const passages = this.#sources.all().map(({ id, title, url, text }) => ({ id, title, url, text }));
    return {
      ...request,
      turns: this.#turns,
      tools,
      toolChoice: isClosed ? 'none' : chosen(toolChoice, tools, step),
      parallelToolCalls,
      account,
      ...(passages.length === 0 ? {} : { sources: passages }),
    };
  }

  /** Runs calls and adds them to the turns, behind what the model said before. */
  async *#answerCalls(
    thought: string,
    raw: string,
    calls: readonly ToolCall[],
  ): AsyncGenerator<readonly AgentEvent[]> {
    const results = yield* this.#runTools(thought, calls);
    const text = raw === '' ? [] : [{ type: 'text', text: raw } as const];
    this.#turns = [
      ...this.#turns,
      {
        role: 'assistant',
        parts: [...text, ...calls.map((call) => ({ type: 'tool-call', ...call }) as const)],
      },
      { role: 'tool', results },
    ];
  }

  async *#runTools(
    thought: string,
    calls: readonly ToolCall[],
  ): AsyncGenerator<readonly AgentEvent[], readonly ToolResult[]> {
    const { results, uses, hasSearched } = yield* runToolStep({
      calls,
      tools: this.#tools,
      callsMax: this.#callsLeft,
      thought,
      run: {
        accountId: this.#run.accountId,
        cite: (found) => this.#sources.cite(found),
        sources: () => this.#sources.all(),
        files: this.#files,
        signal: this.#signal,
      },
    });
    for (const { name, count, costUsd } of uses) {
      const before = this.#uses.get(name) ?? { count: 0, costUsd: 0 };
      this.#uses.set(name, { count: before.count + count, costUsd: before.costUsd + costUsd });
    }
    this.#callsLeft -= calls.length;
    this.#hasSearched ||= hasSearched || this.#sources.all().length > 0;
    // Told before the next turn, which may fail.
    if (uses.length > 0) yield [this.#usageEvent(null)];
    return results;
  }

  #usageEvent(turn: ModelUsage | null): AgentEvent {
    if (turn !== null) this.#usage = addUsage(this.#usage, turn);
    const usage: RunUsage = { model: this.#usage, tools: Object.fromEntries(this.#uses) };
    return { type: 'usage', usage };
  }
}

/** A limit or a filter cuts the arguments of a call as well, so that they cannot be acted on. */
function endReason(reason: FinishReason, hasCalls: boolean): FinishReason | 'calls' {
  const isCut = reason === 'length' || reason === 'context-full' || reason === 'content-filter';
  if (hasCalls && !isCut) return 'calls';
  return reason === 'tool-calls' ? 'end' : reason;
}

/** A forced call is forced once: the next turn may answer. */
function chosen(choice: ToolChoice, tools: readonly FunctionTool[], step: number): ToolChoice {
  const isForced = tools.length > 0 && (step === 0 || choice === 'none');
  const isThere = typeof choice === 'string' || tools.some(({ name }) => name === choice.name);
  return isForced && isThere ? choice : 'auto';
}

/** Calls of functions that were held until the tools of the same turn had run. */
function callEvents({ functionCalls }: TurnReader): AgentEvent[] {
  return functionCalls.flatMap(({ id, name, arguments: args, signature }): AgentEvent[] => [
    { type: 'call-start', callId: id, name, ...(signature === undefined ? {} : { signature }) },
    { type: 'call-delta', callId: id, arguments: args },
    { type: 'call-end', callId: id, name, arguments: args },
  ]);
}

/** The last words of the user; empty when there are none. */
export function lastQuestion(turns: readonly Turn[]): string {
  const last = turns.findLast((turn) => turn.role === 'user');
  return last === undefined ? '' : textOf(last.parts);
}

export function textOf(parts: readonly UserPart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}

/** The longest query that search engines take. */
export const queryCharsMax = 400;

/** Appends text to the last words of the user, as data: models without tools know no results of tools. */
export function appendToQuestion(turns: readonly Turn[], texts: readonly string[]): readonly Turn[] {
  const parts = texts.map((text) => ({ type: 'text', text }) as const);
  const at = turns.findLastIndex(({ role }) => role === 'user');
  const turn = turns[at];
  if (turn?.role !== 'user') return [...turns, { role: 'user', parts }];
  return turns.with(at, { role: 'user', parts: [...turn.parts, ...parts] });
}

function unfinished(): never {
  throw new Fault('bad_gateway', undefined, { cause: new Error('the stream ended without a finish') });
}
