import type { IncomingMessage } from 'node:http';
import { Fault } from '../faults.ts';
import { FairSlots, SlotsFull } from '../kit/fair-slots.ts';
import { JobError } from '../kit/job-thread.ts';
import { JsonError } from '../kit/json.ts';
import type { ParsedJson } from '../kit/json-parse.ts';
import { JsonThread } from '../kit/json-thread.ts';
import { bodyLimits, collect, jsonToFault, parseBody, toBody, tooLarge, type ParsedBody } from './body.ts';

/** Smaller bodies need no room: a socket buffers as much anyway. */
const smallBytes = 64 * 1024;
/** Larger bodies are parsed in a thread. */
const onThreadBytes = 1_048_576;
/** The largest body of any surface, which always fits alone. */
const largestBytes = 64 * 1_048_576;
const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;
const emptyBody: ParsedBody = { value: {}, keysOf: Object.keys, keepDigits: null };
const roomWaitingMax = 256;
const parsesWaitingMax = 64;
const defaultWaitMs = 10_000;

interface BodiesOptions {
  /** Maximum heap. A body takes up to twice its size in it, and its copies as much again. */
  readonly heapBytes: number;
  /** Longest wait for room. Unit: ms. */
  readonly waitMs?: number;
}

/**
 * Reads and parses request bodies within shared bounds, by account: the bytes held at once, and the large ones
 * waiting to be parsed.
 */
export class Bodies {
  readonly #room: FairSlots;
  readonly #parses = new FairSlots({ slotsMax: 1, waitingMax: parsesWaitingMax });
  readonly #thread = new JsonThread(parsesWaitingMax);
  readonly #waitMs: number;
  readonly #shared: Shared = {
    enter: (owner, bytes, signal) => this.#enter(owner, bytes, signal),
    parse: (owner, bytes, signal) => this.#parse(owner, bytes, signal),
  };

  constructor({ heapBytes, waitMs = defaultWaitMs }: BodiesOptions) {
    const slotsMax = Math.max(largestBytes, Math.floor(heapBytes / 8));
    this.#room = new FairSlots({ slotsMax, waitingMax: roomWaitingMax });
    this.#waitMs = waitMs;
  }

  /** The body of one request, which takes from the share of `owner` and holds its room until `release`. */
  of(request: IncomingMessage, owner: string, signal: AbortSignal): RequestBody {
    return new RequestBody(request, owner, signal, this.#shared);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #enter(owner: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    const deadline = AbortSignal.timeout(this.#waitMs);
    try {
      return await this.#room.enter(owner, AbortSignal.any([signal, deadline]), bytes);
    } catch (error) {
      if (error instanceof SlotsFull || (deadline.aborted && !signal.aborted)) throw busy(error);
      throw error;
    }
  }

  async #parse(owner: string, bytes: Buffer<ArrayBuffer>, signal: AbortSignal): Promise<ParsedJson> {
    try {
      return await this.#parses.run(owner, signal, () => this.#thread.parse(bytes, bodyLimits, signal));
    } catch (error) {
      if (error instanceof JsonError) throw jsonToFault(error);
      if (error instanceof SlotsFull) throw busy(error);
      if (!(error instanceof JobError)) throw error;
      if (error.reason === 'memory') throw new Fault('body_too_large', 'request body needs too much memory');
      throw error.reason === 'failed' || error.reason === 'died' ? error : busy(error);
    }
  }
}

/** What all bodies share. */
interface Shared {
  /** Waits for room, and resolves to what gives it back. */
  enter(owner: string, bytes: number, signal: AbortSignal): Promise<() => void>;
  parse(owner: string, bytes: Buffer<ArrayBuffer>, signal: AbortSignal): Promise<ParsedJson>;
}

/** The body of one request. */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #owner: string;
  readonly #signal: AbortSignal;
  readonly #shared: Shared;
  #held: (() => void)[] | null = null;

  constructor(request: IncomingMessage, owner: string, signal: AbortSignal, shared: Shared) {
    this.#request = request;
    this.#owner = owner;
    this.#signal = signal;
    this.#shared = shared;
  }

  /**
   * Reads at most `bytesMax` bytes, whatever `Content-Length` says. Throws or rejects with Fault `body_too_large`,
   * `unsupported_media_type`, `invalid_value` for an encoded or incomplete body, and `service_unavailable`.
   */
  bytes(bytesMax: number): Promise<Buffer<ArrayBuffer>> {
    const declared = declaredLength(this.#request);
    if (declared !== null && declared >= bytesMax) throw tooLarge(bytesMax);
    const claim = { after: smallBytes, enter: () => this.#enter(bytesMax) };
    if (declared === null || declared <= smallBytes) return collect(this.#request, bytesMax, declared, claim);
    return this.#enter(declared).then(() => collect(this.#request, bytesMax, declared, claim));
  }

  /** Rejects as `bytes` does, and with Fault `invalid_json`, `invalid_body`, `invalid_value`. */
  async json(bytesMax: number, emptyAllowed: boolean): Promise<ParsedBody> {
    const read = await this.bytes(bytesMax);
    if (read.length === 0 && emptyAllowed) return emptyBody;
    return read.length <= onThreadBytes
      ? parseBody(read)
      : toBody(await this.#shared.parse(this.#owner, read, this.#signal));
  }

  /** The parsed body lives as long as its request. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const leave of held) leave();
  }

  async #enter(bytes: number): Promise<void> {
    const leave = await this.#shared.enter(this.#owner, bytes, this.#signal);
    (this.#held ??= []).push(leave);
    this.#signal.throwIfAborted();
  }
}

/** What a request says of its body; null without `Content-Length`. Throws Fault for a body that is not read. */
function declaredLength(request: IncomingMessage): number | null {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = request.headers;
  // Any media type will do: a body is read as what its operation expects.
  if (type !== undefined && !mediaType.test(type)) throw new Fault('unsupported_media_type');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Fault('invalid_value', 'Content-Encoding is not supported, send the body as it is');
  }
  return length === undefined ? null : Number(length);
}

function busy(cause: unknown): Fault {
  return new Fault('service_unavailable', 'Too many large requests at once, please try again later.', {
    cause,
  });
}
