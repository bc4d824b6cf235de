import type { RetryBounds } from '../../../../kernel/kit/retry.ts';
import type { CallDependencies } from '../../../../kernel/kit/upstreams-call.ts';
import type { State } from '../../state.ts';
import type { Distribution, NormalizedQuestion } from '../../normalized-question.ts';
import { groupSizeOf, type Capabilities } from './capabilities.ts';
import { createFanOut } from './fan-out.ts';
import { weigh } from './groups.ts';
import { readOnce } from './read.ts';
import { toDistribution } from './readout.ts';
import { sampleQuestion } from './sample.ts';
import { createServer, type LogprobsUpstream, type Server } from './server.ts';

export interface ScoreParts {
  readonly calls: CallDependencies;
  readonly upstream: LogprobsUpstream;
  readonly capabilities: Capabilities;
  /** Requests under way at once for one call. */
  readonly width: number;
  readonly onLabelMass: (mass: number) => void;
}

/**
 * Asks one server all questions of one state. Each question is a request of its own, so its answer cannot depend on the
 * others. The first failure ends the rest. Throws CallError.
 */
export async function scoreAll(
  { calls, upstream, capabilities, width, onLabelMass }: ScoreParts,
  state: State,
  questions: readonly NormalizedQuestion[],
  { deadlineAt, signal }: RetryBounds,
): Promise<readonly Distribution[]> {
  const failing = new AbortController();
  const bounds = { deadlineAt, signal: AbortSignal.any([signal, failing.signal]) };
  const server = createServer(calls, upstream, bounds);
  const run = createFanOut(width);
  const tasks = questions.map((question) =>
    scoreQuestion(server, capabilities, state, question, run, onLabelMass),
  );
  try {
    return await Promise.all(tasks);
  } catch (error) {
    failing.abort(error);
    await Promise.allSettled(tasks);
    throw error;
  }
}

async function scoreQuestion(
  server: Server,
  capabilities: Capabilities,
  state: State,
  question: NormalizedQuestion,
  run: ReturnType<typeof createFanOut>,
  onLabelMass: (mass: number) => void,
): Promise<Distribution> {
  if (capabilities.reader === 'sample') {
    return sampleQuestion(server, capabilities.dialect, state, question, run);
  }
  const { weights, mass } = await weigh(question, groupSizeOf(capabilities), (part) =>
    run(() => readOnce(server, capabilities, state, part)),
  );
  onLabelMass(mass);
  return toDistribution(weights);
}
