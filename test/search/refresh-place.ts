import { configuration } from '../../src/configuration.ts';
import { openIndexTools } from '../../src/features/index/open-index.ts';
import { toSource, type Outcome } from '../../src/features/index/source.ts';

export interface RefreshedPlace {
  /** Folder of the store. */
  readonly data: string;
  readonly location: string;
  /** Host that may be asked although it is private. */
  readonly host?: string;
}

export type Refreshed = { readonly outcome: Outcome | null } | { readonly error: string };

/** Refreshes one source as `nestor index refresh` does. `laterMs`: after the lease of a process that was killed. */
export async function refreshPlace(
  { data, location, host = '' }: RefreshedPlace,
  laterMs = 0,
): Promise<Refreshed> {
  const clock = { now: () => Date.now() + laterMs, monotonic: () => performance.now() };
  const env = { NESTOR_DATA: data, NESTOR_EMBEDDINGS_ENGINE: 'words', NESTOR_OUTBOUND_ALLOW_HOSTS: host };
  const tools = await openIndexTools(configuration.load({ env, cwd: data }), clock);
  try {
    const row = await tools.sources.find(location);
    if (row === undefined) throw new Error(`no source ${location}`);
    return { outcome: await tools.refresh(toSource(row), new AbortController().signal, () => {}) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : 'unknown' };
  } finally {
    await tools.close();
  }
}
