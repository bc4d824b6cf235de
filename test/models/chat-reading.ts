import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ModelEvent, ModelRequest } from '../../src/features/models/model.ts';
import { chunk, done, usageChunk, type WireAnswer, type WireStep } from '../support/upstream-chat.ts';
import { hangMs } from '../support/until.ts';
import { openChat } from './chat-backend.ts';
import { backendSecret, collect, faultOf, firstModel, plainRequest, everythingIn } from './suite.ts';

/** What a model makes of these bytes. */
export async function read(
  t: TestContext,
  answer: readonly WireStep[] | WireAnswer,
  request: Partial<ModelRequest> = {},
) {
  const { provider, server } = await openChat(t, () => answer, { timeoutMs: hangMs });
  return { ...(await collect(firstModel(provider), request)), server };
}

/** The fault of an answer, after checking that no finish was emitted. */
export async function fail(t: TestContext, answer: readonly WireStep[] | WireAnswer, timeoutMs = hangMs) {
  const { provider } = await openChat(t, () => answer, { timeoutMs });
  const events: ModelEvent[] = [];
  const fault = await faultOf(
    (async () => {
      const { signal } = new AbortController();
      for await (const batch of firstModel(provider).stream(plainRequest, signal)) events.push(...batch);
    })(),
  );
  assert.ok(events.every(({ type }) => type !== 'finish'));
  assert.ok(!everythingIn(fault).includes(backendSecret));
  return fault.code;
}

export const call = (given: object, finish: string | null = null) => chunk({ tool_calls: [given] }, finish);
export const fn = (args: string, name?: string) => ({
  function: { ...(name === undefined ? {} : { name }), arguments: args },
});
export const text = (content: string) => chunk({ content });
export const end = [chunk({}, 'stop'), usageChunk(9, 3), done];
export const called = [chunk({}, 'tool_calls'), usageChunk(9, 3), done];
export const callsOf = (answer: { calls: readonly { name: string; arguments: string }[] }) =>
  answer.calls.map(({ name, arguments: args }) => [name, args]);
