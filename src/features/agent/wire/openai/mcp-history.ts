import { textOf } from '../../../../kernel/kit/json-fields.ts';
import { invalidValue } from '../../../../kernel/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import type { ToolCall } from '../../../models/feature.ts';
import { flatName } from './calls.ts';

/** Of the ids of questions whether a tool may be called. */
export const approvalPrefix = 'mcpr_';

export const mcpTypes: ReadonlySet<string> = new Set([
  'mcp_call',
  'mcp_approval_request',
  'mcp_approval_response',
]);

/** What is left of calls of other servers' tools in a history, as calls of functions and their results. */
export function toMcpTurn(item: JsonObject, reserved: ReadonlySet<string>): readonly Json[] {
  const { type, id, approval_request_id: asked, approve, reason } = item;
  switch (type) {
    case 'mcp_call':
      return typeof id === 'string' ? [toCall(item, id, reserved), toOutput(id, outputOf(item))] : [];
    case 'mcp_approval_request':
      return typeof id === 'string' ? [toCall(item, id, reserved)] : [];
    case 'mcp_approval_response': {
      if (approve !== false || typeof asked !== 'string') return [];
      const why = typeof reason === 'string' && reason !== '' ? ` ${reason}` : '';
      return [toOutput(asked, `The user did not approve this call.${why}`)];
    }
    default:
      return [];
  }
}

/** Calls that the input allows and that were not made yet, by the ids of the questions. */
export function approvedIn(input: string | readonly Json[]): ReadonlySet<string> {
  const items = typeof input === 'string' ? [] : input.filter(isJsonObject);
  const made = new Set(
    items.flatMap((item) => (item['type'] === 'mcp_call' ? [item['approval_request_id']] : [])),
  );
  return new Set(
    items.flatMap(({ type, approval_request_id: id, approve }) =>
      type === 'mcp_approval_response' && approve === true && typeof id === 'string' && !made.has(id)
        ? [id]
        : [],
    ),
  );
}

/** The calls themselves, of those that wait. Throws Fault `invalid_value` for one that nobody asked about. */
export function approvedCalls(ids: ReadonlySet<string>, waiting: readonly ToolCall[]): readonly ToolCall[] {
  return [...ids].map((id) => {
    const call = waiting.find((one) => one.id === id);
    if (call !== undefined) return call;
    throw invalidValue(`No approval request found with id '${quote(id)}'.`, 'input');
  });
}

function toCall(
  { name, server_label: label, arguments: written }: JsonObject,
  id: string,
  reserved: ReadonlySet<string>,
): Json {
  return {
    type: 'function_call',
    call_id: id,
    name: flatName(textOf(name), textOf(label), reserved),
    arguments: textOf(written),
  };
}

const toOutput = (id: string, output: string): Json => ({
  type: 'function_call_output',
  call_id: id,
  output,
});

function outputOf({ output, error = null }: JsonObject): string {
  if (typeof output === 'string') return output;
  return error === null ? 'This call was not carried out.' : `The call failed: ${JSON.stringify(error)}`;
}
