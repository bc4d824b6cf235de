import type { TestContext } from 'node:test';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import type { ModelEvent, Provider } from '../../src/features/models/model.ts';
import { openLocalModel, type LocalModel } from '../../src/features/models/providers/local/engine.ts';
import { openLocal, type LocalProviderOptions } from '../../src/features/models/providers/local/index.ts';
import { writeTestModel, type TestModel } from './gguf.ts';

/** One thread: two of them wait for each other whenever another test wants a core. */
export const oneThread = { threads: 1, cacheBytes: 64 * 1_048_576 };

export interface OpenedLocal {
  readonly provider: Provider;
  readonly engine: LocalModel;
}

/** A provider over a file with random weights, closed with the test. */
export async function openTestLocal(
  t: Pick<TestContext, 'after'>,
  file: TestModel = {},
  options: Partial<LocalProviderOptions> & { readonly cacheBytes?: number } = {},
): Promise<OpenedLocal> {
  const path = await writeTestModel(file);
  const { cacheBytes = oneThread.cacheBytes, ...others } = options;
  const engine = await openLocalModel({ path, ...oneThread, cacheBytes });
  const provider = await openLocal(
    { name: 'home', path, ...others },
    { ids: randomIds, open: () => Promise.resolve(engine) },
  );
  t.after(() => provider.close());
  return { provider, engine };
}

/** What two streams have to agree on: ids of calls are drawn anew. */
export function comparable(events: readonly ModelEvent[]): unknown {
  const texts = { 'text-delta': '', 'reasoning-delta': '', 'tool-call-delta': '' };
  const names: string[] = [];
  for (const event of events) {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') texts[event.type] += event.text;
    if (event.type === 'tool-call-delta') texts[event.type] += event.arguments;
    if (event.type === 'tool-call-start') names.push(event.name);
  }
  return { texts, names, last: events.at(-1) };
}
