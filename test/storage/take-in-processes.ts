import assert from 'node:assert/strict';

import type { Taken, TakePlan } from './processes/take.ts';
import { run } from './run.ts';

/** What 8 processes got together, per plan. */
export async function takeInProcesses(url: string, plans: readonly TakePlan[]): Promise<readonly Taken[]> {
  const ended = await Promise.all(Array.from({ length: 8 }, () => run('take', [url, JSON.stringify(plans)])));
  const all = ended.map(({ output, errors, code }) => {
    assert.equal(code, 0, errors);
    return JSON.parse(output) as Taken[];
  });
  return plans.map((_, plan) => {
    const parts = all.flatMap((taken) => taken[plan] ?? []);
    return {
      admitted: parts.reduce((sum, part) => sum + part.admitted, 0),
      refused: parts.reduce((sum, part) => sum + part.refused, 0),
      lastAt: Math.max(...parts.map((part) => part.lastAt)),
    };
  });
}
