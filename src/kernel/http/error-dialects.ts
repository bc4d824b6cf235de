import type { Fault, FaultCode } from '../faults.ts';
import { quote } from '../kit/text.ts';

/** Families of paths with the same form of errors. */
export type Surface = keyof typeof dialects;

type Code = string | number | null;

interface Dialect {
  /**
   * E: `{error}`. V: E and `detail[]` on 422. M: `{type:'error', error, request_id}`. S: E and `detail{}`. A: as M with
   * an error of `type`, `message` and `details` alone.
   */
  readonly shape: 'E' | 'V' | 'M' | 'S' | 'A';
  readonly code: (fault: Fault) => Code;
  /** `error.type` where it differs from `byStatus`. */
  readonly types?: Partial<Record<FaultCode | number, string>>;
  /** `error.param` where none is known. */
  readonly noParam: null | '';
  /** `error.details` of a fault, which clients branch on. */
  readonly details?: Partial<Record<FaultCode, object>>;
  /** Message for an unknown field; the name follows. */
  readonly unknownField?: string;
}

const byStatus: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_api_key',
  403: 'permission_denied',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  422: 'validation_error',
  424: 'failed_dependency',
  429: 'too_many_requests',
  431: 'invalid_request',
  499: 'client_closed',
  500: 'internal_error',
  502: 'bad_gateway',
  503: 'service_unavailable',
  504: 'gateway_timeout',
  529: 'overloaded',
};

/** Decisions distinguish malformed requests from invalid questions. */
const decisionTypes: Dialect['types'] = {
  invalid_json: 'invalid_request_error',
  invalid_body: 'invalid_request_error',
  unknown_field: 'invalid_request_error',
  missing_field: 'invalid_request_error',
  invalid_value: 'invalid_request_error',
  invalid_model: 'invalid_request_error',
};

const messagesTypes: Dialect['types'] = {
  400: 'invalid_request_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'overloaded_error',
  500: 'api_error',
  502: 'api_error',
  503: 'api_error',
  504: 'api_error',
};

/** As Anthropic publishes them. */
const anthropicTypes: Dialect['types'] = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};
const anthropicDetails: Dialect['details'] = {
  thread_unsupported: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
};

/** Surfaces that store something. */
const storingTypes = { storage_quota_exceeded: 'storage_quota_exceeded' } as const;

const status = (fault: Fault): Code => fault.status;
const onlyCredentials = (fault: Fault): Code => (fault.status === 401 ? 401 : null);
const messagesCode = (fault: Fault): Code => ([400, 413, 415].includes(fault.status) ? null : fault.status);

/** The agent uses fault codes, with these exceptions. */
const agentWords: Partial<Record<FaultCode, Code>> = {
  invalid_api_key: 401,
  body_too_large: 'payload_too_large',
  rate_limited: 'rate_limit_exceeded',
  internal: 'internal_error',
  invalid_body: 'invalid_json',
  invalid_image: 'invalid_value',
};
const agentCode = (fault: Fault): Code => agentWords[fault.code] ?? fault.code;

const openAiTypes: Dialect['types'] = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 405, 409, 413, 415, 422, 431].map((at) => [at, 'invalid_request_error']),
  ),
  424: 'external_connector_error',
  429: 'requests',
  ...Object.fromEntries([500, 502, 503, 504].map((at) => [at, 'server_error'])),
};

/** Words that clients of OpenAI know for what has another one here. */
const openAiWords: Partial<Record<FaultCode, Code>> = {
  invalid_model: 'model_not_found',
  unknown_model: 'model_not_found',
  missing_field: 'missing_required_parameter',
  unknown_field: 'unknown_parameter',
  invalid_previous_response: 'previous_response_not_found',
  rate_limited: 'rate_limit_exceeded',
  overloaded: 'rate_limit_exceeded',
  internal: 'server_error',
};
const openAiCode = (fault: Fault): Code => openAiWords[fault.code] ?? fault.code;

/** Contract 3.1, 20.1. */
export const dialects = {
  decisions: { shape: 'E', code: onlyCredentials, types: decisionTypes, noParam: null },
  systemone: { shape: 'S', code: status, types: decisionTypes, noParam: null },
  agent: { shape: 'E', code: agentCode, types: storingTypes, noParam: '', unknownField: 'unknown field' },
  chat: { shape: 'E', code: status, types: storingTypes, noParam: null },
  jobs: { shape: 'V', code: status, noParam: null },
  search: { shape: 'V', code: status, noParam: null },
  embeddings: { shape: 'V', code: status, noParam: null },
  skills: { shape: 'E', code: status, types: storingTypes, noParam: null },
  plain: { shape: 'E', code: status, noParam: null },
  messages: { shape: 'M', code: messagesCode, types: messagesTypes, noParam: null },
  openai: { shape: 'E', code: openAiCode, types: openAiTypes, noParam: null },
  router: { shape: 'E', code: status, types: { 400: 'invalid_request_error' }, noParam: null },
  anthropic: {
    shape: 'A',
    code: status,
    types: anthropicTypes,
    details: anthropicDetails,
    noParam: null,
  },
} as const satisfies Record<string, Dialect>;

/** The surface of a path that no operation has. */
export function surfaceOfUnknown(path: string): Surface {
  return path.startsWith('/anthropic/') ? 'anthropic' : 'plain';
}

/** A path consists of the caller's names, which may be megabytes long. */
const paramMax = 1_000;

export function toErrorBody(surface: Surface, fault: Fault, requestId: string): object {
  const dialect: Dialect = dialects[surface];
  const error = {
    message: fault.message,
    type:
      dialect.types?.[fault.code] ??
      dialect.types?.[fault.status] ??
      byStatus[fault.status] ??
      'internal_error',
    code: dialect.code(fault),
    param: fault.param === null ? dialect.noParam : quote(fault.param, paramMax),
  };
  switch (dialect.shape) {
    case 'E':
      return { error };
    case 'V':
      return fault.status === 422 ? { detail: fault.details, error } : { error };
    case 'M':
      return { type: 'error', error, request_id: requestId };
    case 'A': {
      const { type, message, param } = error;
      const details = dialect.details?.[fault.code];
      const told = param === null ? message : `${param}: ${message}`;
      return {
        type: 'error',
        error: { type, message: told, ...(details !== undefined && { details }) },
        request_id: requestId,
      };
    }
    case 'S':
      return { error, detail: { message: fault.message, error_type: systemOneType(fault) } };
  }
}

function systemOneType(fault: Fault): string {
  if (fault.status === 401) return 'authentication_error';
  if (fault.status === 504) return 'timeout';
  const tooLong = fault.code === 'body_too_large' || fault.code === 'context_length_exceeded';
  return tooLong ? 'tokens_exceeded' : 'unknown';
}

/** Whether repeating the request is pointless. Contract 2.6. */
export function isFinal(fault: Fault): boolean {
  return fault.final || [400, 409, 415, 422].includes(fault.status);
}
