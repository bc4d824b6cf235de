import { Fault } from '../../../kernel/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/kit/json.ts';
import { quote } from '../../../kernel/kit/text.ts';
import { parsePart, textOf, type InputPart } from './input-part.ts';

/** An item of the input in the form of the house; `param` says where it stands. */
export type InputItem =
  | {
      readonly kind: 'message';
      readonly role: 'user' | 'assistant' | 'system';
      readonly parts: readonly InputPart[];
    }
  | {
      readonly kind: 'call';
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
      readonly signature: string | null;
    }
  | {
      readonly kind: 'result';
      readonly callId: string;
      readonly parts: readonly InputPart[];
      readonly param: string;
    }
  /** Accepted, and nothing for a model. */
  | { readonly kind: 'nothing' };

const roles = { user: 'user', assistant: 'assistant', system: 'system', developer: 'system' } as const;

/** Ids of items that stand for stored ones. */
export function referencesOf(input: readonly Json[]): readonly string[] {
  return input.flatMap((item) => {
    const id = isJsonObject(item) ? referenceOf(item) : null;
    return id === null ? [] : [id];
  });
}

function referenceOf(item: JsonObject): string | null {
  const { type, id } = item;
  const isReference = type === 'item_reference' || (type === undefined && item['role'] === undefined);
  return isReference && typeof id === 'string' ? id : null;
}

/** The input with stored items in the place of their ids. Throws Fault `invalid_value` for one that is not stored. */
export function resolveReferences(
  input: readonly Json[],
  stored: ReadonlyMap<string, string>,
): readonly Json[] {
  return input.map((item, at) => {
    const id = isJsonObject(item) ? referenceOf(item) : null;
    if (id === null) return item;
    const found = stored.get(id);
    if (found !== undefined) return JSON.parse(found) as Json;
    throw new Fault('invalid_value', `item "${quote(id)}" not found`, { param: `input.${at}.id` });
  });
}

/**
 * Reads items. Those of the types `passedOver`, results of tools, are nothing for a model: the text after them says what
 * came of them. Throws Fault `invalid_value` and `missing_field` that name the item.
 */
export function parseInput(
  input: string | readonly Json[],
  passedOver: ReadonlySet<string>,
): readonly InputItem[] {
  if (input.length === 0) throw new Fault('invalid_value', 'input must not be empty', { param: 'input' });
  if (typeof input === 'string')
    return [{ kind: 'message', role: 'user', parts: [{ kind: 'text', text: input }] }];
  return input.map((item, at) => {
    const param = `input.${at}`;
    if (!isJsonObject(item)) throw new Fault('invalid_value', `${param} must be an object`, { param });
    return parseItem(item, param, passedOver);
  });
}

function parseItem(item: JsonObject, param: string, passedOver: ReadonlySet<string>): InputItem {
  const { type = 'message' } = item;
  switch (type) {
    case 'message':
      return parseMessage(item, param);
    case 'function_call': {
      const { thought_signature: signature } = item;
      return {
        kind: 'call',
        callId: textOf(item, 'call_id', param),
        name: textOf(item, 'name', param),
        arguments: textOf(item, 'arguments', param),
        signature: typeof signature === 'string' ? signature : null,
      };
    }
    case 'function_call_output': {
      const callId = textOf(item, 'call_id', param);
      const { output } = item;
      if (typeof output === 'string')
        return { kind: 'result', callId, parts: [{ kind: 'text', text: output }], param };
      return { kind: 'result', callId, parts: partsOf(output, `${param}.output`), param };
    }
    default:
      if (typeof type === 'string' && (type === 'reasoning' || passedOver.has(type)))
        return { kind: 'nothing' };
      throw new Fault('invalid_value', `invalid type ${nameOf(type)}`, { param: `${param}.type` });
  }
}

function parseMessage(item: JsonObject, param: string): InputItem {
  const { role, content } = item;
  if (role === undefined) throw new Fault('missing_field', 'role is required', { param: `${param}.role` });
  if (typeof role !== 'string' || !Object.hasOwn(roles, role)) {
    const message = 'role must be user, assistant, system or developer';
    throw new Fault('invalid_value', message, { param: `${param}.role` });
  }
  if (content === undefined)
    throw new Fault('missing_field', 'content is required', { param: `${param}.content` });
  const known = roles[role as keyof typeof roles];
  if (typeof content === 'string')
    return { kind: 'message', role: known, parts: [{ kind: 'text', text: content }] };
  return { kind: 'message', role: known, parts: partsOf(content, `${param}.content`) };
}

function partsOf(content: Json | undefined, param: string): readonly InputPart[] {
  if (!Array.isArray(content))
    throw new Fault('invalid_value', `${param} must be a string or an array of parts`, { param });
  return (content as readonly Json[]).map((part, at) => parsePart(part, `${param}.${at}`));
}

function nameOf(type: Json): string {
  return JSON.stringify(typeof type === 'string' ? quote(type) : type).slice(0, 200);
}
