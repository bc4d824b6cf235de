import { setImmediate } from 'node:timers/promises';
import { moduleBeside } from './beside.ts';
import { JobThread } from './job-thread.ts';
import { JsonError } from './json-error.ts';
import type { JsonJob, JsonJobReply } from './json-job.ts';
import { readScanned, toParsed, type ParsedJson } from './json-parse.ts';
import type { JsonLimits } from './json-scan.ts';

/** A text of 64 MiB with one emoji takes twice that in memory, and so does its value. */
const heapMb = 512;
const timeoutMs = 30_000;
const idleMs = 60_000;

/** `parseJson` in a thread of its own, which begins with the first text and ends when none comes. */
export class JsonThread {
  readonly #thread: JobThread<JsonJob, JsonJobReply>;

  constructor(jobsMax: number) {
    const workerUrl = moduleBeside('json-worker', import.meta.url);
    this.#thread = new JobThread({ workerUrl, name: 'json', timeoutMs, jobsMax, idleMs, heapMb });
  }

  /** Moves `bytes`, which are gone here afterwards. Throws JsonError and JobError, and as the signal says. */
  async parse(bytes: Uint8Array<ArrayBuffer>, limits: JsonLimits, signal: AbortSignal): Promise<ParsedJson> {
    const reply = await this.#thread.run({ bytes, limits }, signal, [bytes.buffer]);
    // To take a value over held the loop for up to 100 ms; what is done with it is another turn.
    await setImmediate();
    signal.throwIfAborted();
    if (reply.kind === 'refused') throw new JsonError(reply.reason, reply.path, reply.key);
    const value =
      reply.kind === 'value' ? reply.value : readScanned(reply.bytes, { duplicate: null, escapedNames: [] });
    return toParsed(value, reply.bytes, reply.integers);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
