import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { flatName, toArguments, type CallKind } from './calls.ts';
import { mcpTypes, toMcpTurn } from './mcp-history.ts';
import { unseal } from './sealed.ts';
import { placesOf } from './client-tools.ts';

const callKinds: Readonly<Record<string, CallKind>> = {
  function_call: 'function',
  custom_tool_call: 'custom',
  local_shell_call: 'local_shell',
  shell_call: 'shell',
  apply_patch_call: 'apply_patch',
  tool_search_call: 'tool_search',
};

const outputs: ReadonlySet<string> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
  'tool_search_output',
]);

/** Items that say nothing to a model which did not make them: the messages after them tell what came of them. */
const passedOver: ReadonlySet<string> = new Set([
  'reasoning',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'computer_call',
  'computer_call_output',
  'mcp_list_tools',
  'additional_tools',
  'compaction_trigger',
  'configuration_update',
  'program',
  'program_output',
]);

const messageParts: ReadonlySet<string> = new Set([
  'input_text',
  'output_text',
  'refusal',
  'input_image',
  'input_file',
  'input_audio',
]);

export interface History {
  readonly items: readonly Json[];
  /** Places of items of types that are not known here. */
  readonly ignored: readonly string[];
}

/**
 * A history of OpenAI's items as one of the house: every call of the client is that of a function, a compaction is what
 * it summed up, and what no model reads is left out. Items of the house stay as they are.
 */
export function toHouseItems(
  items: readonly Json[],
  reserved: ReadonlySet<string>,
  own: ReadonlySet<string>,
): History {
  const ignored: string[] = [];
  const signatures = signaturesIn(items);
  const read = items.flatMap((item, at): readonly Json[] => {
    if (!isJsonObject(item)) return [item];
    const { type = 'message' } = item;
    if (typeof type !== 'string' || type === 'item_reference' || own.has(type)) return [item];
    if (type === 'message') return [withKnownParts(item)];
    const kind = callKinds[type];
    if (kind !== undefined) return isServers(item) ? [] : [toCall(kind, item, signatures, reserved)];
    if (outputs.has(type)) return isServers(item) ? [] : [toOutput(item)];
    if (mcpTypes.has(type)) return toMcpTurn(item, reserved);
    const told = toTold(item);
    if (told !== null) return [told];
    if (!passedOver.has(type)) ignored.push(`input.${at}`);
    return [];
  });
  return { items: read, ignored };
}

/** Tools that came to a conversation while it went on. */
export function toolsIn(items: readonly Json[]) {
  return items.flatMap((item, at) => {
    const isLater =
      isJsonObject(item) && (item['type'] === 'tool_search_output' || item['type'] === 'additional_tools');
    return isLater ? placesOf(item['tools'], `input.${at}.tools`) : [];
  });
}

/** A search of tools that the server made has no call to answer. */
const isServers = (item: JsonObject): boolean => item['execution'] === 'server';

function toCall(
  kind: CallKind,
  item: JsonObject,
  signatures: JsonObject,
  reserved: ReadonlySet<string>,
): Json {
  const { name: sent, namespace: place, thought_signature: own } = item;
  const called = kind === 'function' || kind === 'custom' ? sent : kind;
  const id = callIdOf(item);
  const signature = own ?? (typeof id === 'string' ? signatures[id] : undefined);
  return {
    type: 'function_call',
    ...(id !== undefined && { call_id: id }),
    ...(typeof called === 'string' && {
      name: flatName(called, typeof place === 'string' ? place : null, reserved),
    }),
    arguments: toArguments(kind, item),
    ...(typeof signature === 'string' && { thought_signature: signature }),
  };
}

function toOutput(item: JsonObject): Json {
  const id = callIdOf(item);
  const { output, status, tools } = item;
  const said =
    item['type'] === 'tool_search_output'
      ? { tools: namesOf(tools ?? []) }
      : (output ?? { status: status ?? null });
  const isMessage = typeof said === 'string' || isPartList(said);
  return {
    type: 'function_call_output',
    ...(id !== undefined && { call_id: id }),
    output: isMessage ? said : JSON.stringify(said),
  };
}

/** An output of the shell of the client is named by the id of its call. */
const callIdOf = ({ call_id: call, id }: JsonObject): Json | undefined => call ?? id;

function isPartList(value: Json): boolean {
  const isPart = (part: Json) =>
    isJsonObject(part) && typeof part['type'] === 'string' && messageParts.has(part['type']);
  return Array.isArray(value) && (value as readonly Json[]).every(isPart);
}

function namesOf(tools: Json): readonly Json[] {
  if (!Array.isArray(tools)) return [];
  return (tools as readonly Json[]).flatMap((tool) => {
    if (!isJsonObject(tool)) return [];
    const { name = null, namespace = null, tools: inner } = tool;
    return inner === undefined
      ? [namespace === null ? name : { namespace, name }]
      : [name, ...namesOf(inner)];
  });
}

function withKnownParts(item: JsonObject): Json {
  const { content } = item;
  if (!Array.isArray(content)) return item;
  const isKnown = (part: Json) =>
    !isJsonObject(part) || typeof part['type'] !== 'string' || messageParts.has(part['type']);
  return { ...item, type: 'message', content: (content as readonly Json[]).filter(isKnown) };
}

/** What this server sealed to be told again; null for what another one did, which nobody else can read. */
function toTold({ type, encrypted_content: sealed }: JsonObject): Json | null {
  const content = type === 'compaction' || type === 'reasoning' ? unseal(sealed) : null;
  switch (content?.kind) {
    case 'summary':
      return toUser(`Summary of the conversation before this:\n\n${content.text}`);
    case 'found':
      return toUser(content.text);
    default:
      return null;
  }
}

const toUser = (content: string): Json => ({ type: 'message', role: 'user', content });

/** Signatures of calls, which a client brings back where the item of a call has no place for them. */
function signaturesIn(items: readonly Json[]): JsonObject {
  const found = items.flatMap((item) => {
    if (!isJsonObject(item) || item['type'] !== 'reasoning') return [];
    const content = unseal(item['encrypted_content']);
    return content?.kind === 'signatures' ? [content.signatures] : [];
  });
  return Object.assign({}, ...found) as JsonObject;
}
