import type { IncomingMessage } from 'node:http';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import { Fault } from '../faults.ts';
import { parseJson, type ParsedJson } from '../kit/json-parse.ts';
import { bodyLimits, tooLarge } from './body.ts';
import { notMultipart, openMultipartParser, sentTwice } from './multipart-parser.ts';
import type { Upload, UploadBodySpec } from './operation.ts';

/** Longest silence within an upload. */
const silenceMaxMs = 30_000;
const fieldsMax = 16;

type Spec = UploadBodySpec['upload'];

interface ReadUpload extends Upload {
  /** Makes validated fields keep every digit of their integers when written. */
  readonly keepDigits: (signal: AbortSignal) => Promise<void>;
}

/**
 * Reads a multipart body up to its file, which is then read while it arrives, no faster than it is used. Rejects with
 * Fault `invalid_value`, `body_too_large` and `client_closed`.
 */
export async function readUpload(
  request: IncomingMessage,
  spec: Spec,
  signal: AbortSignal,
): Promise<ReadUpload> {
  const { bytesMax, fieldBytesMax } = spec;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax + fieldsMax * fieldBytesMax) throw tooLarge(bytesMax);
  const limits = { fileSize: bytesMax, fieldSize: fieldBytesMax, fields: fieldsMax, files: fieldsMax };
  const incoming = new Incoming(request, openMultipartParser(request, limits), signal);
  const texts = new Map<string, string>();
  try {
    const { file, name } = await incoming.untilFile(spec, texts);
    return { ...toFields(texts, spec), name, content: incoming.read(file, bytesMax) };
  } catch (error) {
    incoming.leave();
    throw error;
  }
}

interface FoundFile {
  readonly file: BusboyFileStream;
  readonly name: string;
}

/** One upload while it arrives. What breaks it off rejects whoever waits for it. */
class Incoming {
  readonly #request: IncomingMessage;
  readonly #parser: BusboyInstance;
  readonly #broken = Promise.withResolvers<never>();
  readonly #silence: NodeJS.Timeout;
  readonly #onData = () => void this.#silence.refresh();
  readonly #onClose = () => {
    if (!this.#request.complete) this.#broken.reject(new Fault('client_closed'));
  };

  constructor(request: IncomingMessage, parser: BusboyInstance, signal: AbortSignal) {
    this.#request = request;
    this.#parser = parser;
    this.#broken.promise.catch(() => {});
    const late = () =>
      this.#broken.reject(new Fault('invalid_value', 'The request body did not arrive in time'));
    this.#silence = setTimeout(late, silenceMaxMs);
    const onAbort = () => this.#broken.reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    parser.on('error', (error: unknown) => this.#broken.reject(notMultipart(error)));
    request.on('data', this.#onData).on('close', this.#onClose).on('error', this.#onClose);
  }

  untilFile({ part, json, fieldBytesMax }: Spec, texts: Map<string, string>): Promise<FoundFile> {
    const found = Promise.withResolvers<FoundFile>();
    const refuse = (error: Fault) => found.reject(error);
    const keep = (name: string, text: string, isCut: boolean) => {
      if (isCut) refuse(new Fault('body_too_large', `${name} is larger than ${fieldBytesMax} bytes`));
      else if (texts.has(name)) refuse(sentTwice(name));
      else texts.set(name, text);
    };
    this.#parser
      .on('field', (name, value, _isNameCut, isCut) => keep(name, value, isCut))
      .on('file', (name: string, file: BusboyFileStream, filename: string | undefined) => {
        // Every file ends with the body, also one that is not read (yet), and what nobody hears ends the process.
        file.on('error', (error: unknown) => this.#broken.reject(notMultipart(error)));
        if (name === part) found.resolve({ file, name: filename ?? '' });
        else if (json.includes(name)) collect(file, fieldBytesMax, (text, isCut) => keep(name, text, isCut));
        else file.resume();
      })
      .on('finish', () => refuse(new Fault('invalid_value', `${part} is required`, { param: part })));
    this.#request.pipe(this.#parser);
    return Promise.race([found.promise, this.#broken.promise]);
  }

  async *read(file: BusboyFileStream, bytesMax: number): AsyncGenerator<Buffer> {
    const chunks = file[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    try {
      for (;;) {
        const step = await Promise.race([chunks.next(), this.#broken.promise]);
        if (file.truncated) throw tooLarge(bytesMax);
        if (step.done === true) return;
        yield step.value;
      }
    } finally {
      file.resume();
      this.leave();
    }
  }

  leave(): void {
    clearTimeout(this.#silence);
    this.#request.off('data', this.#onData).off('close', this.#onClose).off('error', this.#onClose);
    if (this.#request.complete) return;
    this.#request.unpipe(this.#parser);
    this.#request.pause();
  }
}

function collect(
  file: BusboyFileStream,
  bytesMax: number,
  keep: (text: string, isCut: boolean) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  file.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
  });
  file.on('end', () => keep(Buffer.concat(chunks).toString('utf8'), bytes > bytesMax));
}

function toFields(
  texts: ReadonlyMap<string, string>,
  { json, fields }: Spec,
): Pick<ReadUpload, 'fields' | 'keepDigits'> {
  const known = new Set(Object.keys((fields as { properties?: object }).properties ?? {}));
  const own = [...texts].filter(([name]) => known.has(name));
  const parsed = new Map(
    own.flatMap(([name, text]) => (json.includes(name) ? [[name, parseField(name, text)]] : [])),
  );
  return {
    fields: Object.fromEntries(
      own.map(([name, text]) => {
        const one = parsed.get(name);
        return [name, one === undefined ? text : one.value];
      }),
    ),
    async keepDigits(signal) {
      for (const one of parsed.values()) await one.keepDigits?.(signal);
    },
  };
}

function parseField(name: string, text: string): ParsedJson {
  try {
    return parseJson(Buffer.from(text), bodyLimits);
  } catch (cause) {
    throw new Fault('invalid_value', `${name} is not valid JSON`, { param: name, cause });
  }
}
