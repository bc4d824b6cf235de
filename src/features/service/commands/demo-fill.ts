import { setTimeout as pause } from 'node:timers/promises';
import type { PublishedApi } from '../../client/feature.ts';
import { isJsonObject } from '../../../kernel/kit/json.ts';
import { listAt, textAt } from '../../../kernel/kit/json-path.ts';
import type { DemoFolder } from './demo-folder.ts';

interface Filling {
  readonly api: PublishedApi;
  /** The same server for its administration. */
  readonly adminApi: PublishedApi;
  readonly signal: AbortSignal;
  readonly onStep: (done: number) => void;
}

const timeoutMs = 60_000;
const pollMs = 200;
const sourcesPath = '/admin/v1/index/sources';

/** How many steps filling takes. */
export const stepsOf = ({ sets }: Pick<DemoFolder, 'sets'>): number => sets.length + 1;

/** Fills a server by its published operations alone. What an earlier run began is made anew. Throws ApiError. */
export async function fillDemo(
  folder: DemoFolder,
  { api, adminApi, signal, onStep }: Filling,
): Promise<void> {
  const { handbook, sets } = folder;
  const json = { location: handbook };
  await adminApi.call({ method: 'POST', path: sourcesPath, json, timeoutMs, signal });
  for (const [index, { name, question, rows }] of sets.entries()) {
    const path = `/v1/deciders/demo-${name}`;
    await api.call({ method: 'PUT', path, json: { engine: 'encoder' }, timeoutMs, signal });
    await api.call({ method: 'DELETE', path: `${path}/examples`, timeoutMs, signal });
    const examples = rows.map(([state, answer]) => ({ state, question, answer }));
    await api.call({ method: 'POST', path: `${path}/examples`, json: { examples }, timeoutMs, signal });
    onStep(index + 1);
  }
  await untilRead(adminApi, handbook, signal);
  onStep(stepsOf(folder));
}

/** Until the index has read the folder. */
async function untilRead(adminApi: PublishedApi, location: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const list = await adminApi.call({ method: 'GET', path: sourcesPath, timeoutMs, signal });
    const source = listAt(list, 'data').find((one) => isJsonObject(one) && one['location'] === location);
    const state = textAt(source ?? null, 'state');
    if (state === 'ready') return;
    if (state === 'failed') throw new Error(`the index cannot read ${location}`);
    await pause(pollMs, undefined, { signal });
  }
}
