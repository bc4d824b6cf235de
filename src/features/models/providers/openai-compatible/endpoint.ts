import type { ServerFamily } from './quirks.ts';

/** vLLM counts tokens beside its versioned interface, not under it. */
export function besideVersion(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v\d+$/, '')}${path}`;
  return url.href;
}

/** On Azure a deployment is its own address: what it runs is named there and nowhere else. */
export function deploymentOf(baseUrl: string): string | null {
  const name = /\/deployments\/([^/]+)\/*$/.exec(new URL(baseUrl).pathname)?.[1];
  return name === undefined ? null : decodeURIComponent(name);
}

/** Credentials as the service wants them, under the headers of the operator. */
export function toHeaders(
  key: string | null,
  headers: Readonly<Record<string, string>>,
  family: ServerFamily,
): Readonly<Record<string, string>> {
  if (key === null) return headers;
  return family === 'azure' ? { 'api-key': key, ...headers } : { authorization: `Bearer ${key}`, ...headers };
}
