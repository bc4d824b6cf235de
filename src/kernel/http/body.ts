import type { IncomingMessage } from 'node:http';
import { Fault } from '../faults.ts';
import { quote } from '../kit/text.ts';
import { isJsonObject, type JsonObject, JsonError } from '../kit/json.ts';
import { parseJson, type ParsedJson } from '../kit/json-parse.ts';

/** The outermost object is level 1. */
const nestingMax = 64;
/** Values and names together: as many as the largest decision context has tokens, since each is at least one. */
export const itemsMax = 262_144;
export const bodyLimits = { depthMax: nestingMax, itemsMax };
/** Longest silence within a body. */
const silenceMaxMs = 30_000;

export interface ParsedBody extends ParsedJson {
  readonly value: JsonObject;
}

/** Parses a JSON object. Throws Fault. */
export function parseBody(bytes: Uint8Array): ParsedBody {
  try {
    return toBody(parseJson(bytes, bodyLimits));
  } catch (error) {
    throw error instanceof JsonError ? jsonToFault(error) : error;
  }
}

export function toBody({ value, keysOf, keepDigits }: ParsedJson): ParsedBody {
  if (!isJsonObject(value)) throw new Fault('invalid_body');
  return { value, keysOf, keepDigits };
}

export function jsonToFault({ kind, key, path }: JsonError): Fault {
  switch (kind) {
    case 'syntax':
      return new Fault('invalid_json');
    case 'depth':
      return tooDeep();
    case 'size':
      return new Fault('body_too_large', `request body holds more than ${itemsMax} values and keys`);
    case 'duplicate':
      return refused(`Duplicate key ${JSON.stringify(quote(key))}`, [...path, key]);
  }
}

const tooDeep = (): Fault => refused(`Nesting is deeper than ${nestingMax} levels`, []);

/** With what surfaces say that validate with 422. Contract 3.1 and 20.11. */
function refused(msg: string, path: readonly string[]): Fault {
  const param = path.length === 0 ? null : path.join('.');
  return new Fault('invalid_value', msg, {
    param,
    details: [{ loc: ['body', ...path], msg, type: 'value_error' }],
  });
}

export function tooLarge(bytesMax: number): Fault {
  return new Fault('body_too_large', `request body exceeds the maximum allowed size of ${bytesMax} bytes`);
}

/** Room to claim when a body of undeclared length exceeds `after` bytes. */
interface Claim {
  readonly after: number;
  enter(): Promise<void>;
}

/**
 * Reads a whole body, into one buffer where its length was declared. Rejects with Fault. Its listeners stay: they go with
 * the request, and to take four off takes as long as to read a small body.
 */
export function collect(
  request: IncomingMessage,
  bytesMax: number,
  declared: number | null,
  claim: Claim,
): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer<ArrayBuffer> | null = null;
    let size = 0;
    let isClaimed = declared !== null;
    let isOver = false;
    let silence: NodeJS.Timeout | undefined;
    // A small body stands behind its head in one packet, and has been read by then.
    queueMicrotask(() => {
      if (isOver) return;
      silence = setTimeout(() => {
        fail(new Fault('invalid_value', 'The request body did not arrive in time'));
      }, silenceMaxMs);
    });
    const settle = (): boolean => {
      if (isOver) return false;
      clearTimeout(silence);
      return (isOver = true);
    };
    const fail = (reason: unknown): void => {
      if (!settle()) return;
      request.pause();
      reject(reason);
    };
    const claimRoom = () => {
      isClaimed = true;
      request.pause();
      claim.enter().then(() => request.resume(), fail);
    };
    request.on('data', (chunk: Buffer<ArrayBuffer>) => {
      if (isOver) return;
      if (size + chunk.length >= bytesMax) {
        fail(tooLarge(bytesMax));
        return;
      }
      silence?.refresh();
      // A small body is one piece, which is nobody else's.
      if (bytes === null && chunk.length === declared && declared <= claim.after) bytes = chunk;
      else {
        bytes ??= Buffer.allocUnsafeSlow(declared ?? Math.min(claim.after, bytesMax));
        if (size + chunk.length > bytes.length) bytes = grown(bytes, size + chunk.length, bytesMax);
        chunk.copy(bytes, size);
      }
      size += chunk.length;
      if (!isClaimed && size > claim.after) claimRoom();
    });
    request.on('end', () => {
      if (!settle()) return;
      const read = bytes ?? Buffer.alloc(0);
      resolve(size === read.length ? read : read.subarray(0, size));
    });
    // Also the end of every request, long after its body.
    const onClose = () => {
      if (!isOver) fail(new Fault('client_closed'));
    };
    request.on('close', onClose).on('error', onClose);
  });
}

function grown(bytes: Buffer<ArrayBuffer>, needed: number, bytesMax: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.min(bytesMax, Math.max(needed, bytes.length * 2)));
  bytes.copy(larger);
  return larger;
}

/** Node drops this much of a refused body and keeps the connection. */
const unreadBytesMax = 64 * 1024;

export function leavesMuchUnread(request: IncomingMessage, fault: Fault): boolean {
  if (request.complete) return false;
  if (fault.code === 'body_too_large' || request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > unreadBytesMax;
}
