/** Entry of the child process of `probeFile`: opens a file, asks it for an example, and writes what it is, as JSON. */
import { randomIds } from '../../../../kernel/kit/ids.ts';
import { replyWith } from '../../ask-child.ts';
import { compareExamples, exampleTexts } from '../../example.ts';
import { smallestRequest } from '../../first-output.ts';
import { openLocalEmbedder, openLocalModel } from './engine.ts';
import { readGgufHeader } from './gguf.ts';
import { openLocal } from './index.ts';
import { kindOf, type ProbedFile } from './probe-file.ts';
import { LocalModelProblem } from './runtime.ts';

const never = new AbortController().signal;
/** An example says little, and its answer less. Unit: bytes. */
const cacheBytes = 134_217_728;

async function probe({ path }: { readonly path: string }): Promise<ProbedFile> {
  const before = process.memoryUsage.rss();
  try {
    const kind = kindOf(await readGgufHeader(path));
    const found = await { chat: write, decision: openAlone, embedding: embed }[kind](path);
    return { kind, ...found, memoryBytes: Math.max(0, process.memoryUsage.rss() - before) };
  } catch (error) {
    // The parent names the path.
    const isNamed = error instanceof LocalModelProblem && error.message.startsWith(`${path}: `);
    throw isNamed ? new Error(error.message.slice(path.length + 2), { cause: error }) : error;
  }
}

async function write(path: string) {
  const since = createWatch();
  const open: typeof openLocalModel = (options) => openLocalModel({ ...options, cacheBytes });
  const provider = await openLocal({ name: 'probe', path }, { ids: randomIds, open });
  const openMs = since();
  const [offered] = provider.models();
  let answer = '';
  for await (const events of offered?.model.stream(smallestRequest, never) ?? [])
    for (const event of events) if (event.type === 'text-delta') answer += event.text;
  return { openMs, answerMs: since() - openMs, answer };
}

/** Opening evaluates a token. How it is asked, engines know. */
async function openAlone(path: string) {
  const since = createWatch();
  await openLocalModel({ path, cacheBytes });
  return { openMs: since(), answerMs: 0, answer: '' };
}

async function embed(path: string) {
  const since = createWatch();
  const embedder = await openLocalEmbedder({ path });
  const openMs = since();
  const rows = await Promise.all(exampleTexts.map((text) => embedder.tokenize(text, never)));
  const vectors = await embedder.embed(rows, never);
  return { openMs, answerMs: since() - openMs, answer: compareExamples(vectors) };
}

function createWatch(): () => number {
  const startedMs = performance.now();
  return () => Math.round(performance.now() - startedMs);
}

await replyWith((input) => probe(input as { readonly path: string }));
// Threads of the runtime would keep the process.
process.exit(0);
