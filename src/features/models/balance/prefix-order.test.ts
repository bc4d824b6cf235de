import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { scriptedProvider } from '../../../../test/support/providers.ts';
import type { Rank } from '../registry.ts';
import { addText, emptyHash } from './hash.ts';
import { orderByPrefix } from './prefix-order.ts';

const idle = { running: () => 0 };
const prompts = Array.from({ length: 20_000 }, (_, index) => addText(emptyHash, `conversation ${index}`));
const firstOf = (members: Rank['members'], prompt: number) => orderByPrefix(members, prompt, idle)[0]?.id;

function replicas(...weights: number[]): Rank['members'] {
  return weights.map((weight, index) => {
    const provider = scriptedProvider(`gpu-${index}`, { m: {} });
    const [offered] = provider.models();
    assert.ok(offered);
    return { backend: { id: `${provider.name}/m`, provider, offered }, weight };
  });
}

suite('the order of replicas for a prompt', () => {
  test('is the same each time, and holds each of them once', () => {
    const members = replicas(1, 1, 1);
    for (const prompt of prompts.slice(0, 100)) {
      const order = orderByPrefix(members, prompt, idle).map(({ id }) => id);
      assert.deepEqual(
        order,
        orderByPrefix(members.toReversed(), prompt, idle).map(({ id }) => id),
      );
      assert.deepEqual([...order].sort(), ['gpu-0/m', 'gpu-1/m', 'gpu-2/m']);
    }
  });

  test('spreads prompts by weight', () => {
    const members = replicas(1, 2, 5);
    const counts = new Map<string | undefined, number>();
    for (const prompt of prompts) {
      const first = firstOf(members, prompt);
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    for (const { backend, weight } of members) {
      const share = (counts.get(backend.id) ?? 0) / prompts.length;
      // Four standard errors.
      assert.ok(Math.abs(share - weight / 8) < 0.014, `${backend.id} has ${share}`);
    }
  });

  test('changes for nobody but those of a replica that goes', () => {
    const members = replicas(1, 1, 1, 1);
    const left = members.slice(0, 3);
    for (const prompt of prompts) {
      const before = firstOf(members, prompt);
      if (before !== 'gpu-3/m') assert.equal(firstOf(left, prompt), before);
    }
  });

  test('passes by who is full: however alike prompts are, nobody has more than a quarter over its share', () => {
    const members = replicas(1, 1, 2);
    const running = new Map(members.map(({ backend }) => [backend.id, 0]));
    const loads = { running: (id: string) => running.get(id) ?? 0 };
    const [same = 0] = prompts;
    for (let calls = 1; calls <= 1_000; calls++) {
      const id = orderByPrefix(members, same, loads)[0]?.id ?? '';
      running.set(id, loads.running(id) + 1);
      for (const { backend, weight } of members)
        assert.ok(loads.running(backend.id) <= Math.ceil((1.25 * calls * weight) / 4), `${calls} calls`);
    }
  });
});
