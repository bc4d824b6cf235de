import { moduleBeside } from '../../../../kernel/kit/beside.ts';
import { askChild } from '../../ask-child.ts';
import { readsWhole } from './embedder.ts';
import { checkCausalHeader } from './chat-file.ts';
import type { GgufHeader } from './gguf.ts';
import { LocalModelProblem } from './runtime.ts';

/** `chat`: it writes, and decides. `decision`: it decides alone. `embedding`: it gives a vector for a text. */
export type GgufKind = 'chat' | 'decision' | 'embedding';

/** What a file turned out to be, and what it did with an example. */
export interface ProbedFile {
  readonly kind: GgufKind;
  readonly openMs: number;
  readonly answerMs: number;
  /** Memory that it takes once it has answered; pages of the file that were read count. Unit: bytes. */
  readonly memoryBytes: number;
  /** What it wrote, or what its vectors say; empty for one that decides alone. */
  readonly answer: string;
}

/** Reading some gigabytes of a slow disk takes minutes. */
const timeoutMs = 600_000;
const heapMb = 1_024;

/** The kind of model that a header describes. Throws GgufProblem for what is neither. */
export function kindOf(header: GgufHeader): GgufKind {
  const { architecture, metadata } = header;
  const isEmbedding =
    Number(metadata.get(`${architecture}.pooling_type`) ?? 0) > 0 ||
    metadata.get(`${architecture}.attention.causal`) === false;
  if (isEmbedding) {
    readsWhole(header);
    return 'embedding';
  }
  return checkCausalHeader(header) === null ? 'chat' : 'decision';
}

/** Opens a file in a child process and asks it for an example. Throws LocalModelProblem. */
export async function probeFile(path: string, signal?: AbortSignal): Promise<ProbedFile> {
  const entry = moduleBeside('probe', import.meta.url);
  const reply = await askChild<ProbedFile>({ entry, input: { path }, timeoutMs, heapMb, signal });
  if ('problem' in reply) throw new LocalModelProblem(path, reply.problem);
  return reply.found;
}
