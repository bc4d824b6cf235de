import { refuseAll, toEvaluationFault } from '../models/feature.ts';

/** Turns errors of what evaluates in this process, or of a model closed meanwhile, into a Fault. */
export async function withFault<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw toEvaluationFault(error, signal, 'The local model could not evaluate.');
  }
}

/** An engine whose model cannot be used. `problem` says why, in one line for an operator. */
export function createDownEngine(name: string, problem: string) {
  const refuse = refuseAll('The local model could not be loaded.');
  return {
    name,
    vision: false,
    problem,
    health: () => 'down' as const,
    countTokens: refuse,
    score: refuse,
    countWindows: refuse,
    close: () => Promise.resolve(),
  };
}
