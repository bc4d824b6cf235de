import { getLlama, LlamaLogLevel, type LlamaDecisionContext } from 'node-llama-cpp';
import type { NormalizedQuestion } from '../../src/features/decisions/engine.ts';

/** The decisions of node-llama-cpp itself, on the same file with the same threads. */
export interface Peer {
  /** Tokens that it says to have evaluated. */
  decide(state: string, questions: readonly NormalizedQuestion[]): Promise<number>;
  close(): Promise<void>;
}

export async function openPeer(path: string, threads: number): Promise<Peer> {
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    progressLogs: false,
    maxThreads: threads,
    logLevel: LlamaLogLevel.error,
  });
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
  const context: LlamaDecisionContext = await model.createDecisionContext({ contextSize: 4_096, threads });
  return {
    async decide(state, questions) {
      const { tokenUsage } = await context.decideWithMeta(
        state,
        Object.fromEntries(questions.map(questionOf)),
      );
      return tokenUsage.input + tokenUsage.output;
    },
    async close() {
      await context.dispose();
      await llama.dispose();
    },
  };
}

function questionOf({ kind, question, options }: NormalizedQuestion, index: number) {
  if (kind === 'noul') return [`q${index}`, { type: 'noul', instruction: question }] as const;
  const criteria = Object.fromEntries(options.map(({ name }) => [name, null]));
  return [`q${index}`, { type: 'choice', instruction: question, criteria }] as const;
}
