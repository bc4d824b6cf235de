import type { AgentRun } from '../loop.ts';
import type { Preset } from '../presets.ts';
import { Fault, invalidValue } from '../../../kernel/faults.ts';
import { isJsonObject, type Json } from '../../../kernel/kit/json.ts';
import { quote } from '../../../kernel/kit/text.ts';
import {
  toSchemaFormat,
  withQuestion,
  type CatalogEntry,
  type FunctionTool,
  type ToolCall,
  type Turn,
} from '../../models/feature.ts';
import { createTools, type ToolSet } from '../../tools/feature.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';
import { fetchInput } from './fetch-input.ts';
import { parseInput, referencesOf, resolveReferences, type InputItem } from './input.ts';
import {
  chooseTools,
  languageName,
  readFormat,
  readModels,
  stepsOf,
  toEcho,
  toModelSettings,
  toSystem,
} from './plan.ts';
import { toHouseItems } from './openai/history.ts';
import { approvalPrefix } from './openai/mcp-history.ts';
import type { AgentRequest } from './schema.ts';
import { readSkills } from './skills.ts';
import { readFunctions, readPreset, readTools } from './tools.ts';
import { toConversation, type Fetched } from './turns.ts';

export type AgentServices = Pick<
  Services,
  | 'models'
  | 'tools'
  | 'skills'
  | 'runs'
  | 'reserveRunRow'
  | 'storageQuota'
  | 'verifier'
  | 'structured'
  | 'clock'
  | 'ids'
  | 'fetchMedia'
>;

interface PrepareOptions {
  readonly settings: Pick<Settings, 'family' | 'agent' | 'tools'>;
  readonly services: AgentServices;
  readonly accountId: string;
  readonly signal: AbortSignal;
  /** False where nothing may have been said yet. */
  readonly asksModel: boolean;
  /** True where an input of instructions alone is answered. */
  readonly answersSystem?: boolean;
  /** Items of the input in the words of the house, where the surface has others. */
  readonly toItems?: (items: readonly Json[]) => readonly Json[];
  /** Items of a conversation that come before the input. */
  readonly before?: readonly Json[];
}

export interface PreparedRun {
  readonly run: AgentRun;
  /** JSON text of the input, with what it refers to. */
  readonly input: string;
  readonly echo: object;
  /** Calls of other servers' tools that the caller was asked about, and that have no result yet. */
  readonly waiting: readonly ToolCall[];
}

/** Everything that a run needs. What is wrong with a request is thrown here, before anything began. */
export async function prepareRun(request: AgentRequest, options: PrepareOptions): Promise<PreparedRun> {
  const { services, accountId, signal } = options;
  const { tools: set } = options.settings;
  const preset = readPreset(request);
  const names = readModels(request, roleModelOf(preset, options), services.models);
  const format = readFormat(request);
  const functions = readFunctions(request, set);
  const requested = readTools(request, preset, set, services.tools);
  if (request.background === true && request.store === false)
    throw invalidValue('background needs store', 'store');
  if (typeof request.language_preference === 'string') languageName(request.language_preference);
  const skills = await readSkills(request.skills ?? [], services.skills, accountId);
  const implied = set.definitions.filter((tool) => tool.isImplied(skills));
  const offered = [...requested, ...implied.map((tool) => ({ tool, options: undefined }))];
  const chosen = chooseTools(request, offered, functions);
  const isLong = request.response_format?.type === 'json_schema';
  const param = isLong ? 'response_format.json_schema.schema' : 'text.format.schema';
  const caller = { account: accountId, signal };
  const check = format && (await services.structured.parseSchema(format.schema, param, caller));
  const input = await readInput(request, options);
  const { items, waiting } = toItems(input, options);
  const earlier = new Set(input.before);
  const fetched = await fetchInput(items, earlier, services.fetchMedia, services.tools.pages, caller);
  const { system, turns } = saidIn(items, fetched, options);
  if (turns.length === 0 && options.asksModel)
    throw invalidValue('input must hold a message of the user', 'input');
  const entry = services.models.find(names[0]);
  checkCapabilities(names[0], entry, turns, chosen.functions);
  const context = { ...skills, named: namedIn(turns, options) };
  const tools = request.max_tool_calls === 0 ? [] : createTools(chosen.tools, services.tools, context);
  return {
    run: {
      names,
      request: {
        ...toModelSettings(request, preset, entry?.capabilities.reasoning ?? false),
        system: toSystem({
          request,
          preset,
          system,
          searches: tools.length > 0,
          today: new Date(services.clock.now()).toISOString().slice(0, 10),
        }),
        turns,
        format: format === null ? { type: 'text' } : toSchemaFormat(format),
      },
      tools,
      functions: chosen.functions,
      toolChoice: chosen.choice,
      parallelToolCalls: request.parallel_tool_calls ?? true,
      stepsMax: stepsOf(request, preset),
      toolCallsMax: request.max_tool_calls ?? Infinity,
      check,
      seed: [],
      accountId,
    },
    input: JSON.stringify(input.own),
    echo: toEcho(request, preset, format),
    waiting,
  };
}

interface ReadInput {
  readonly before: readonly InputItem[];
  readonly own: string | readonly Json[];
}

/** The whole conversation. A call that waits for its approval is nothing for a model, which would read that it failed. */
function toItems(
  { before, own: sent }: ReadInput,
  { toItems: convert, settings, asksModel }: PrepareOptions,
) {
  const own = typeof sent === 'string' ? sent : (convert?.(sent) ?? sent);
  const isRest = own.length === 0 && (before.length > 0 || !asksModel);
  const all = [...before, ...(isRest ? [] : parseInput(own, settings.tools.itemTypes))];
  const answered = new Set(all.flatMap((item) => (item.kind === 'result' ? [item.callId] : [])));
  const isWaiting = (item: InputItem) =>
    item.kind === 'call' && item.callId.startsWith(approvalPrefix) && !answered.has(item.callId);
  return {
    items: all.filter((item) => !isWaiting(item)),
    waiting: all.flatMap((item): readonly ToolCall[] =>
      item.kind === 'call' && isWaiting(item)
        ? [{ id: item.callId, name: item.name, arguments: item.arguments }]
        : [],
    ),
  };
}

function saidIn(items: readonly InputItem[], fetched: Fetched, { answersSystem = false }: PrepareOptions) {
  const said = toConversation(items, fetched);
  return answersSystem ? withQuestion(said) : said;
}

/** What the role of a preset stands for; the own model where nothing is offered under its name. */
function roleModelOf(preset: Preset | null, { settings, services }: PrepareOptions): string | null {
  if (preset === null) return null;
  const name = settings.agent.roles[preset.role];
  return services.models.find(name) === null ? `${settings.family}/${settings.family}` : name;
}

/** Texts of the user and of results, for a tool that may read only what they name. Texts of the model do not count. */
function namedIn(turns: readonly Turn[], { settings }: PrepareOptions): readonly string[] | null {
  if (settings.agent.fetch === 'any') return null;
  return partsOf(turns).flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

/** Everything in a conversation that no model wrote. */
function partsOf(turns: readonly Turn[]) {
  return turns.flatMap((turn) => {
    if (turn.role === 'assistant') return [];
    return turn.role === 'user' ? turn.parts : turn.results.flatMap((result) => result.parts);
  });
}

/** The own input, and `before` it the items of the responses that this one follows. */
async function readInput(
  { input, previous_response_id: previousId }: AgentRequest,
  { services, settings: { tools: set }, accountId, before = [] }: PrepareOptions,
): Promise<ReadInput> {
  const { store } = services.runs;
  const nowMs = services.clock.now();
  const resolve = async (items: readonly Json[]): Promise<readonly Json[]> => {
    const stored = await store.findItems(accountId, [...new Set(referencesOf(items))], nowMs);
    return resolveReferences(items, stored);
  };
  const own = typeof input === 'string' ? input : await resolve(input);
  if (typeof previousId !== 'string')
    return { before: before.length === 0 ? [] : readStored(before, set), own };
  const chain = await store.chain(accountId, previousId, nowMs);
  const last = chain.at(-1);
  const refuse = (id: string, what: string): never => {
    throw new Fault('invalid_previous_response', `previous response "${quote(id)}" ${what}`, {
      param: 'previous_response_id',
    });
  };
  if (last?.id !== previousId) return refuse(previousId, 'not found');
  if (last.status !== 'completed' && last.status !== 'requires_action') refuse(previousId, 'is not finished');
  for (const [at, { previousId: before }] of chain.entries())
    if (before !== null && chain[at - 1]?.id !== before) refuse(before, 'not found');
  const said = chain.flatMap((run) => [...inputOf(run.input), ...outputOf(run.response)]);
  return { before: readStored(await resolve(said), set), own };
}

/** Items as they were stored, on whichever surface. */
function readStored(stored: readonly Json[], set: ToolSet): readonly InputItem[] {
  const { items } = toHouseItems(stored, set.reservedNames, set.itemTypes);
  return items.length === 0 ? [] : parseInput(items, set.itemTypes);
}

function inputOf(text: string): readonly Json[] {
  const input = JSON.parse(text) as string | readonly Json[];
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

function outputOf(text: string): readonly Json[] {
  const response = JSON.parse(text) as Json;
  const output = isJsonObject(response) ? response['output'] : undefined;
  return Array.isArray(output) ? (output as readonly Json[]) : [];
}

/** Refuses what the model cannot take, before a backend does it in words of its own. */
function checkCapabilities(
  name: string,
  entry: CatalogEntry | null,
  turns: readonly Turn[],
  functions: readonly FunctionTool[],
): void {
  const refuse = (what: string, param: string): never => {
    throw invalidValue(`model "${quote(name)}" does not ${what}`, param);
  };
  if (entry === null) return;
  if (functions.length > 0 && !entry.capabilities.tools) refuse('call functions', 'tools');
  if (partsOf(turns).some(({ type }) => type === 'image') && !entry.capabilities.images)
    refuse('accept images', 'input');
}
