import { isJsonObject, type Json, type JsonObject } from '../../kernel/kit/json.ts';

/** JSON-RPC 2.0, as far as MCP uses it. */
type MessageId = string | number;

export interface McpNotification {
  readonly method: string;
  readonly params: JsonObject;
}

export interface McpRequest extends McpNotification {
  readonly id: MessageId;
}

export type McpResponse = { readonly jsonrpc: '2.0'; readonly id: MessageId | null } & (
  { readonly result: JsonObject } | { readonly error: { readonly code: number; readonly message: string } }
);

/** Codes of JSON-RPC. What a tool fails with is a result and none of these. */
export const failures = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
} as const;

/** Versions of the protocol that this server speaks, newest first. */
export const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

type ReadMessage =
  | { readonly kind: 'request'; readonly request: McpRequest }
  | { readonly kind: 'notification'; readonly notification: McpNotification }
  /** An answer to something that this server never asks. */
  | { readonly kind: 'response' }
  | { readonly kind: 'invalid'; readonly response: McpResponse };

/** Reads one message. Batches are not taken: the protocol has none since 2025-06-18. */
export function readMessage(value: Json): ReadMessage {
  const refuse = (message: string): ReadMessage => ({
    kind: 'invalid',
    response: toFailure(null, failures.invalidRequest, message),
  });
  if (!isJsonObject(value)) return refuse('A message is a JSON object.');
  const { jsonrpc, id, method, params = {} } = value;
  if (jsonrpc !== '2.0') return refuse('jsonrpc must be "2.0".');
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response' };
  if (typeof method !== 'string') return refuse('method must be a string.');
  if (!isJsonObject(params)) return refuse('params must be an object.');
  if (id === undefined) return { kind: 'notification', notification: { method, params } };
  if (typeof id !== 'string' && typeof id !== 'number') return refuse('id must be a string or a number.');
  return { kind: 'request', request: { id, method, params } };
}

export function toSuccess(id: MessageId, result: JsonObject): McpResponse {
  return { jsonrpc: '2.0', id, result };
}

export function toFailure(id: MessageId | null, code: number, message: string): McpResponse {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
