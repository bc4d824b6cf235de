import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import type { Model, ModelRequest, Provider } from '../../src/features/models/model.ts';
import { openAnthropic } from '../../src/features/models/providers/anthropic/index.ts';
import type { RemoteOptions } from '../../src/features/models/remote-server.ts';
import { collect, firstModel, type Collected } from '../models/suite.ts';
import { startWire, type WireAnswer, type WireServer, type WireStep } from './upstream-chat.ts';

/** A provider at an address, closed with the test. */
export function openAt(t: TestContext, url: string, change: Partial<RemoteOptions> = {}): Provider {
  const provider = openAnthropic(
    {
      name: 'claude',
      baseUrl: url,
      key: 'key-of-the-operator',
      headers: {},
      models: ['claude-sonnet-4-0'],
      timeoutMs: 20_000,
      totalTimeoutMs: 60_000,
      ...change,
    },
    { clock: systemClock, ids: randomIds, random: () => 0 },
  );
  t.after(() => provider.close());
  return provider;
}

/** A model whose server gives one answer to everything. */
export async function answering(t: TestContext, reply: WireAnswer, timeoutMs = 20_000): Promise<Model> {
  const { url } = await startWire(t, () => reply);
  return firstModel(openAt(t, url, { timeoutMs }));
}

/** The answer to a request that is sent in these packets. */
export async function answer(
  t: TestContext,
  pieces: readonly WireStep[],
  request?: Partial<ModelRequest>,
): Promise<Collected> {
  const collected = await collect(await answering(t, { steps: pieces }), request);
  assert.equal(collected.events.filter(({ type }) => type === 'finish').length, 1);
  return collected;
}

/** Resolves when the first request arrived. */
export async function reached(server: WireServer): Promise<void> {
  while (server.requests.length === 0) await pause(2);
}
