import type { AgentRun } from '../../src/features/agent/loop.ts';
import { emptyRequest } from '../../src/features/models/model.ts';

/** One question to one model, without tools. */
export const agentRun: AgentRun = {
  names: ['test/a'],
  request: {
    ...emptyRequest,
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'What is a kea?' }] }],
  },
  tools: [],
  functions: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  stepsMax: 3,
  toolCallsMax: 100,
  check: null,
  seed: [],
  accountId: 'acme',
};
