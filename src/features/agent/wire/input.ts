import { Fault, invalidValue } from '../../../kernel/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/kit/json.ts';
import { quote } from '../../../kernel/kit/text.ts';
import { checkBase64, dataUrl, readDataImage, type Media } from '../../models/feature.ts';
import type { AttachedFile } from '../../search/feature.ts';

export type InputPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly media: Media }
  | { readonly kind: 'remote-image'; readonly url: string; readonly param: string }
  | ({ readonly kind: 'file'; readonly fileName: string | null; readonly param: string } & AttachedFile);

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
    const id = isJsonObject(item) ? (referenceOf(item) ?? hiddenReasoningOf(item)) : null;
    return id === null ? [] : [id];
  });
}

function referenceOf(item: JsonObject): string | null {
  const { type, id } = item;
  const isReference = type === 'item_reference' || (type === undefined && item['role'] === undefined);
  return isReference && typeof id === 'string' ? id : null;
}

/** The id of reasoning without what a model wants back of it: the store has that. */
function hiddenReasoningOf({ type, id, encrypted_content: sealed = null }: JsonObject): string | null {
  return type === 'reasoning' && sealed === null && typeof id === 'string' ? id : null;
}

/** The input with stored items in the place of their ids. Throws Fault `invalid_value` for one that is not stored. */
export function resolveReferences(
  input: readonly Json[],
  stored: ReadonlyMap<string, string>,
): readonly Json[] {
  return input.map((item, at) => {
    if (!isJsonObject(item)) return item;
    const id = referenceOf(item);
    const found = stored.get(id ?? hiddenReasoningOf(item) ?? '');
    if (found !== undefined) return JSON.parse(found) as Json;
    if (id === null) return item;
    throw invalidValue(`item "${quote(id)}" not found`, `input.${at}.id`);
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
  if (input.length === 0) throw invalidValue('input must not be empty', 'input');
  if (typeof input === 'string')
    return [{ kind: 'message', role: 'user', parts: [{ kind: 'text', text: input }] }];
  return input.map((item, at) => {
    const param = `input.${at}`;
    if (!isJsonObject(item)) throw invalidValue(`${param} must be an object`, param);
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
      return { kind: 'result', callId, parts: partsOf(item['output'], `${param}.output`), param };
    }
    default:
      if (typeof type === 'string' && (type === 'reasoning' || passedOver.has(type)))
        return { kind: 'nothing' };
      throw invalidType(type, param);
  }
}

function parseMessage(item: JsonObject, param: string): InputItem {
  const { role, content } = item;
  if (role === undefined) throw new Fault('missing_field', 'role is required', { param: `${param}.role` });
  if (typeof role !== 'string' || !Object.hasOwn(roles, role)) {
    throw invalidValue('role must be user, assistant, system or developer', `${param}.role`);
  }
  if (content === undefined)
    throw new Fault('missing_field', 'content is required', { param: `${param}.content` });
  const parts = partsOf(content, `${param}.content`);
  return { kind: 'message', role: roles[role as keyof typeof roles], parts };
}

function partsOf(content: Json | undefined, param: string): readonly InputPart[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) throw invalidValue(`${param} must be a string or an array of parts`, param);
  return (content as readonly Json[]).map((part, at) => parsePart(part, `${param}.${at}`));
}

function invalidType(type: Json, param: string): Fault {
  const name = JSON.stringify(typeof type === 'string' ? quote(type) : type).slice(0, 200);
  return invalidValue(`invalid type ${name}`, `${param}.type`);
}

const urlCharsMax = 2_048;

/** Reads a part of a message or of a result. Throws Fault `invalid_value` and `invalid_image`. */
function parsePart(part: Json, param: string): InputPart {
  if (!isJsonObject(part)) throw invalidValue(`${param} must be an object`, param);
  const { type } = part;
  switch (type) {
    case 'input_text':
    case 'output_text':
      return { kind: 'text', text: withoutMarkers(textOf(part, 'text', param), part['annotations']) };
    case 'refusal':
      return { kind: 'text', text: textOf(part, 'refusal', param) };
    case 'input_image':
      return parseImage(textOf(part, 'image_url', param), `${param}.image_url`);
    case 'input_file':
      return parseFile(part, param);
    default:
      throw invalidType(type ?? null, param);
  }
}

/** Numbers of sources mean nothing outside of their response, and would be taken for those of the next one. */
function withoutMarkers(text: string, annotations: Json | undefined): string {
  if (!Array.isArray(annotations)) return text;
  const markers = (annotations as readonly Json[]).flatMap((one) => {
    if (!isJsonObject(one) || one['type'] !== 'url_citation') return [];
    const { start_index: start, end_index: end } = one;
    if (typeof start !== 'number' || typeof end !== 'number') return [];
    return /^\[\d+\]$/.test(text.slice(start, end)) ? [{ start, end }] : [];
  });
  let kept = text;
  for (const { start, end } of markers.toSorted((a, b) => b.start - a.start))
    kept = kept.slice(0, start).replace(/ $/, '') + kept.slice(end);
  return kept;
}

function parseImage(url: string, param: string): InputPart {
  if (/^https:\/\//i.test(url)) {
    if (url.length <= urlCharsMax) return { kind: 'remote-image', url, param };
    throw new Fault('invalid_image', `image_url must be at most ${urlCharsMax} characters long`, { param });
  }
  return { kind: 'image', media: readDataImage(url, param) };
}

function parseFile(part: JsonObject, param: string): InputPart {
  if (part['file_id'] !== undefined && part['file_id'] !== null)
    throw invalidValue('file_id is not supported, send file_data or file_url', `${param}.file_id`);
  const { file_data: data, file_url: url, filename } = part;
  const fileName = typeof filename === 'string' ? filename : null;
  const isData = typeof data === 'string';
  if (isData === (typeof url === 'string'))
    throw invalidValue('input_file needs exactly one of file_data and file_url', param);
  if (typeof url === 'string') {
    if (/^https:\/\//i.test(url)) return { kind: 'file', fileName, param, url };
    throw invalidValue('file_url must be an https address', `${param}.file_url`);
  }
  const text = isData ? data : '';
  const match = dataUrl.exec(text);
  const base64 = checkBase64(text.slice(match?.[0].length ?? 0), `${param}.file_data`);
  return { kind: 'file', fileName, param, base64, mediaType: match?.groups?.['mediaType'] ?? null };
}

/** A field that has to be a string. Throws Fault `missing_field` and `invalid_value`. */
function textOf(part: JsonObject, name: string, param: string): string {
  const value = part[name];
  if (typeof value === 'string') return value;
  const code = value === undefined ? 'missing_field' : 'invalid_value';
  throw new Fault(code, `${name} must be a string`, { param: `${param}.${name}` });
}
