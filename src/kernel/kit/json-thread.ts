import { setImmediate } from 'node:timers/promises';
import { moduleBeside } from './beside.ts';
import { JobThread } from './job-thread.ts';
import { JsonError } from './json.ts';
import type { JsonJob, JsonJobReply } from './json-worker.ts';
import { toParsed, type ParsedJson } from './json-parse.ts';
import { readPieces } from './json-pieces.ts';
import type { JsonLimits } from './json-scan.ts';
import { runInSlices } from './slices.ts';

/** A text of 64 MiB with one emoji takes twice that, and so does its value. */
const heapMb = 512;
const timeoutMs = 30_000;
const idleMs = 60_000;

/** Runs `parseJson` in a thread that starts with the first text and ends when idle. */
export class JsonThread {
  readonly #thread: JobThread<JsonJob, JsonJobReply>;

  constructor(jobsMax: number) {
    const workerUrl = moduleBeside('json-worker', import.meta.url);
    this.#thread = new JobThread({ workerUrl, name: 'json', timeoutMs, jobsMax, idleMs, heapMb });
  }

  /** Transfers `bytes`. Rejects with JsonError, JobError, or the signal's reason. */
  async parse(bytes: Uint8Array<ArrayBuffer>, limits: JsonLimits, signal: AbortSignal): Promise<ParsedJson> {
    const reply = await this.#thread.run({ bytes, limits }, signal, [bytes.buffer]);
    if (reply.kind === 'refused') throw new JsonError(reply.reason, reply.path, reply.key);
    // Receiving the reply may take a turn of its own, since it may hold long strings.
    await setImmediate();
    const { bytes: text, pieces, isEscaped, integers } = reply;
    const buffer = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    const value =
      pieces === null ? reply.value : await runInSlices(readPieces(buffer, pieces, isEscaped), signal);
    await setImmediate();
    signal.throwIfAborted();
    return toParsed(value, text, integers);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
