import { hash } from 'node:crypto';
import { jsonOrText, objectOf, textOf } from '../../../../kernel/kit/json-fields.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import { inputOf } from '../../../models/feature.ts';

/** Kinds of calls that a client of OpenAI's carries out. Every backend is given them as functions. */
export type CallKind = 'function' | 'custom' | 'local_shell' | 'shell' | 'apply_patch' | 'tool_search';

/** A call as the client knows it. */
export interface ClientCall {
  readonly kind: CallKind;
  readonly name: string;
  readonly namespace: string | null;
}

const nameMax = 64;

/**
 * The name under which a backend knows a tool of the client: of letters, digits, `_` and `-`, with its namespace, and not
 * that of a tool of the server. It depends on nothing else, so that calls in a history have it too.
 */
export function flatName(name: string, namespace: string | null, reserved: ReadonlySet<string>): string {
  const whole = namespace === null ? name : `${namespace}__${name}`;
  const taken = reserved.has(whole) ? `client__${whole}` : whole;
  const plain = taken.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (plain === taken && plain !== '' && plain.length <= nameMax) return plain;
  const mark = hash('sha256', taken, 'hex').slice(0, 8);
  return `${plain.slice(0, nameMax - 9)}_${mark}`;
}

/** The arguments of a call of the history, as the function that a backend knows would have them. */
export function toArguments(kind: CallKind, item: JsonObject): string {
  switch (kind) {
    case 'function':
      return textOf(item['arguments']);
    case 'custom':
      return JSON.stringify({ input: textOf(item['input']) });
    case 'local_shell':
    case 'shell': {
      const { type: _, ...action } = objectOf(item['action']);
      return JSON.stringify(action);
    }
    case 'apply_patch':
      return JSON.stringify({ operation: objectOf(item['operation']) });
    case 'tool_search':
      return JSON.stringify(objectOf(item['arguments']));
  }
}

interface Written {
  readonly id: string;
  readonly callId: string;
  readonly status: 'in_progress' | 'completed' | 'incomplete';
}

/** The item of a call: empty arguments while it is being made. */
export function toCallItem({ kind, name, namespace }: ClientCall, made: Written, text: string): object {
  const { id, callId: call_id, status } = made;
  const place = namespace === null ? {} : { namespace };
  switch (kind) {
    case 'function':
      return { type: 'function_call', id, call_id, name, ...place, arguments: text, status };
    case 'custom':
      return { type: 'custom_tool_call', id, call_id, name, ...place, input: inputOf(text), status };
    case 'local_shell': {
      const action = { type: 'exec', env: {}, ...argumentsOf(text) };
      return { type: 'local_shell_call', id, call_id, action: withCommand(action), status };
    }
    case 'shell': {
      const { commands, timeout_ms = null, max_output_length = null } = argumentsOf(text);
      const action = { commands: listOf(commands), timeout_ms, max_output_length };
      return { type: 'shell_call', id, call_id, action, environment: { type: 'local' }, status };
    }
    case 'apply_patch': {
      const read = argumentsOf(text);
      return { type: 'apply_patch_call', id, call_id, operation: read['operation'] ?? read, status };
    }
    case 'tool_search':
      return {
        type: 'tool_search_call',
        id,
        call_id,
        execution: 'client',
        arguments: argumentsOf(text),
        status,
      };
  }
}

function argumentsOf(text: string): JsonObject {
  const parsed = jsonOrText(text === '' ? '{}' : text);
  return objectOf(parsed);
}

function withCommand(action: JsonObject): JsonObject {
  const { command } = action;
  return { ...action, command: typeof command === 'string' ? ['bash', '-lc', command] : listOf(command) };
}

const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? value : typeof value === 'string' ? [value] : [];
