import type { IncomingMessage } from 'node:http';
import type { Fault } from '../faults.ts';
import type { Admission } from '../kit/bucket.ts';
import { isFinal, type Surface } from './error-dialects.ts';
import type { HeaderMap } from './reply.ts';

/** Request id headers under every name that clients of the surface look for. */
export function idHeaders(surface: Surface, requestId: string, takesApiKey = false): HeaderMap {
  const headers = { 'x-request-id': requestId };
  switch (surface) {
    case 'systemone':
      return { ...headers, 'x-typesafe-request-id': requestId };
    case 'openai':
      return { ...headers, 'openai-version': '2020-10-01' };
    case 'messages':
    case 'router':
    case 'anthropic':
      return { ...headers, 'request-id': requestId };
    default:
      return takesApiKey ? { ...headers, 'request-id': requestId } : headers;
  }
}

export function faultHeaders(fault: Fault): HeaderMap {
  const headers: HeaderMap = {};
  if (fault.status === 401) headers['www-authenticate'] = 'Bearer';
  if (isFinal(fault)) headers['x-should-retry'] = 'false';
  if (fault.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(fault.retryAfterMs / 1_000)));
    headers['retry-after-ms'] = String(Math.max(1, Math.ceil(fault.retryAfterMs)));
  }
  return headers;
}

/** Contract 5.3. `now`: wall time in ms. */
export function setRateHeaders(
  surface: Surface,
  headers: HeaderMap,
  { capacity, remaining, fullInMs }: Admission,
  now: number,
): void {
  if (surface === 'openai') {
    headers['x-ratelimit-limit-requests'] = String(capacity);
    headers['x-ratelimit-remaining-requests'] = String(remaining);
    headers['x-ratelimit-reset-requests'] = `${Math.ceil(fullInMs)}ms`;
  }
  headers['x-ratelimit-limit'] = String(capacity);
  headers['x-ratelimit-remaining'] = String(remaining);
  headers['x-ratelimit-used'] = String(capacity - remaining);
  headers['x-ratelimit-reset'] = String(Math.ceil((now + fullInMs) / 1_000));
  if (surface !== 'anthropic') return;
  headers['anthropic-ratelimit-requests-limit'] = String(capacity);
  headers['anthropic-ratelimit-requests-remaining'] = String(remaining);
  headers['anthropic-ratelimit-requests-reset'] = new Date(now + fullInMs).toISOString();
}

/** The time that the work took, for the surface whose clients read it. */
export function setTimeHeader(surface: Surface, headers: HeaderMap, ms: number): void {
  if (surface === 'openai') headers['openai-processing-ms'] = String(Math.round(ms));
}

const bearer = /^bearer +([^ ].*)$/i;

/** The key as sent; null without one. `Authorization` wins over `x-api-key`. */
export function readKey(request: IncomingMessage, apiKeyHeader: boolean): string | null {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  if (authorization !== undefined) return bearer.exec(authorization.trimEnd())?.[1] ?? null;
  if (apiKeyHeader && typeof apiKey === 'string' && apiKey !== '') return apiKey;
  return null;
}

const hostName = /^[a-z0-9.\-:[\]]{1,255}$/i;

export function originOf(request: IncomingMessage): string {
  const { host } = request.headers;
  if (host !== undefined && hostName.test(host)) return `http://${host}`;
  const { localAddress, localPort } = request.socket;
  return `http://${localAddress}:${localPort}`;
}

const ignoredMax = 20;
const ignoredLengthMax = 100;

/** The header that names ignored fields. Names are cleaned, because a caller may send anything. */
export function toIgnoredHeader(ignored: readonly string[]): Readonly<Record<string, string>> {
  if (ignored.length === 0) return {};
  const names = ignored
    .slice(0, ignoredMax)
    .map((name) => name.slice(0, ignoredLengthMax).replaceAll(/[^A-Za-z0-9_.-]/g, '_'));
  return { 'x-nestor-ignored': names.join(',') };
}
