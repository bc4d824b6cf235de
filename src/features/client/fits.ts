import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../../kernel/kit/json.ts';
import { textAt } from '../../kernel/kit/json-path.ts';
import { ApiError, type PublishedApi } from './api.ts';

/** A fit of a decider as far as its command needs it. */
export interface Fit {
  readonly id: string;
  readonly state: string;
  readonly error: string | null;
  readonly reply: Json;
}

const timeoutMs = 30_000;
const pollMs = { first: 250, longest: 2_000 };

export const deciderPath = (name: string): string => `/v1/deciders/${encodeURIComponent(name)}`;

/** Throws ApiError. */
export async function startFit(
  api: PublishedApi,
  decider: string,
  json: { readonly max_error?: number },
  signal: AbortSignal,
): Promise<Fit> {
  const path = `${deciderPath(decider)}/fit`;
  return toFit(await api.call({ method: 'POST', path, json, timeoutMs, signal }));
}

/** Waits until a fit has ended. It ends with its server, so a server that is away is waited for by nobody. Throws ApiError. */
export async function awaitFit(
  api: PublishedApi,
  decider: string,
  begun: Fit,
  { signal, onLook }: { readonly signal: AbortSignal; readonly onLook: () => void },
): Promise<Fit> {
  const path = `${deciderPath(decider)}/fits/${encodeURIComponent(begun.id)}`;
  let fit = begun;
  for (let waitMs = pollMs.first; fit.state === 'running'; waitMs = Math.min(pollMs.longest, waitMs * 1.5)) {
    onLook();
    await pause(waitMs, undefined, { signal });
    fit = toFit(await api.call({ method: 'GET', path, timeoutMs, signal }));
  }
  return fit;
}

function toFit(reply: Json): Fit {
  const [id, state] = [textAt(reply, 'id'), textAt(reply, 'state')];
  if (id === null || state === null) throw new ApiError('The answer is no fit.');
  return { id, state, error: textAt(reply, 'error'), reply };
}
