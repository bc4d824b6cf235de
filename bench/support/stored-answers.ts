import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openEngine } from '../../src/features/decisions/open-decisions.ts';
import { toCases } from '../../src/features/decisions/evaluation/examples.ts';
import { readExamples } from '../../src/features/decisions/evaluation/read-examples.ts';
import { runCases, type Trial } from '../../src/features/decisions/evaluation/run.ts';
import { shareEncoder } from '../../src/features/models/feature.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';

/** A file of examples, under a name. */
export interface AskedFile {
  readonly name: string;
  readonly path: string;
}

export const guaranteeFiles = (data: string): readonly AskedFile[] => [
  { name: 'CLINC150', path: join(data, 'clinc150', 'data_full.json') },
  { name: 'BANKING77', path: join(data, 'banking77', 'test.csv') },
];

export type StoredAnswer = Pick<Trial, 'kind' | 'probabilities' | 'right' | 'chosen'>;

/** Every row of a file asked once, texts that fit no option among them; what an earlier run wrote into `out` is read. */
export async function askOnce(
  engine: string,
  { name, path }: AskedFile,
  out: string,
): Promise<readonly StoredAnswer[]> {
  const [kind, model] = engine.includes('/') ? ['onnx', engine] : [engine, null];
  const stored = join(out, `${basename(engine)}-${name}.json`);
  if (existsSync(stored)) return JSON.parse(readFileSync(stored, 'utf8')) as readonly StoredAnswer[];
  const { examples } = readExamples(readFileSync(path), path, { split: 'test', outside: true });
  const opened = await openEngine({
    engine: kind ?? engine,
    path: model ?? null,
    upstreams: [],
    gpu: false,
    timeoutMs: 60_000,
    dataFolder: out,
    openEncoder: shareEncoder(),
  });
  try {
    const { trials, failed } = await runCases(opened, toCases(examples), {
      concurrency: 1,
      extraPasses: false,
      inputTokensMax: 262_144,
      clock: systemClock,
      signal: new AbortController().signal,
    });
    if (failed > 0) throw new Error(`${engine} failed on ${failed} rows of ${name}`);
    const answers = trials.map(({ kind, probabilities, right, chosen }) => ({
      kind,
      probabilities,
      right,
      chosen,
    }));
    mkdirSync(dirname(stored), { recursive: true });
    writeFileSync(stored, JSON.stringify(answers));
    return answers;
  } finally {
    await opened.close();
  }
}
