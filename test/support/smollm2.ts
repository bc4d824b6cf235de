import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getLlama, LlamaLogLevel, type Llama, type LlamaModel } from 'node-llama-cpp';
import { chatTemplates } from './gguf.ts';
import { startServer, type TestScope, type TestServer } from './server.ts';
import { smolLm2 } from './weights.ts';

export const model = 'home/smollm2';

/** A whole server over SmolLM2. One thread: two of them wait for each other whenever another test wants a core. */
export function startSmolLm2(t: TestScope, config: object = {}, path = smolLm2): Promise<TestServer> {
  const provider = { name: 'home', type: 'local', path, models: ['smollm2'] };
  const decisions = { threads: 1, order: { passes: 2 } };
  return startServer(t, { config: JSON.stringify({ providers: [provider], decisions, ...config }) });
}

/** The same weights behind a template that knows functions; that of the file knows none. */
export async function writeSmolLm2WithFunctions(folder: string): Promise<string> {
  const path = join(folder, 'smollm2-functions.gguf');
  await writeFile(path, withTemplate(await readFile(smolLm2), chatTemplates.tools));
  return path;
}

/** Key, type and length stand before the text in the file, as the format has it. */
function withTemplate(file: Buffer, template: string): Buffer {
  const key = 'tokenizer.chat_template';
  const lengthAt = file.indexOf(key) + key.length + 4;
  const before = Number(file.readBigUInt64LE(lengthAt));
  // Weights begin at a multiple of 32 bytes, so the text grows by one. A comment is no part of what it renders.
  const surplus = template.length + '{##}'.length - before;
  const text = `${template}{#${' '.repeat((32 - (((surplus % 32) + 32) % 32)) % 32)}#}`;
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const textAt = lengthAt + length.length;
  return Buffer.concat([
    file.subarray(0, lengthAt),
    length,
    Buffer.from(text),
    file.subarray(textAt + before),
  ]);
}

/** The prompt of one question, as the model's template has it written out. */
export const promptOf = (question: string): string =>
  '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' +
  `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;

/** The library alone, with nothing of ours before it. */
export interface Library {
  countTokens(prompt: string): number;
  /** The likeliest continuation. */
  write(prompt: string, tokensMax: number): Promise<string>;
}

export async function openLibrary(t: TestScope): Promise<Library> {
  const llama: Llama = await getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    maxThreads: 1,
    logLevel: LlamaLogLevel.error,
  });
  t.after(() => llama.dispose());
  const opened: LlamaModel = await llama.loadModel({ modelPath: smolLm2, gpuLayers: 0 });
  return {
    countTokens: (prompt) => opened.tokenize(prompt, true).length,
    async write(prompt, tokensMax) {
      // As the server opens it: flash attention adds up in another order.
      const context = await opened.createContext({ contextSize: 512, threads: 1, flashAttention: false });
      const written = [];
      for await (const token of context
        .getSequence()
        .evaluate(opened.tokenize(prompt, true), { temperature: 0 })) {
        written.push(token);
        if (written.length === tokensMax) break;
      }
      await context.dispose();
      return opened.detokenize(written);
    },
  };
}
