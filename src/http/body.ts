import type { IncomingMessage } from 'node:http';
import { Fault } from '../faults.ts';
import { quote } from '../kit/text.ts';
import { isJsonObject, type JsonObject } from '../kit/json.ts';
import { parseJson, type ParsedJson } from '../kit/json-parse.ts';
import { JsonError } from '../kit/json-error.ts';

/** The outermost object is level 1. */
export const nestingMax = 64;
/** Values and names together: as many as the largest context of a decision has tokens, and each is one at least. */
export const itemsMax = 262_144;
export const bodyLimits = { depthMax: nestingMax, itemsMax };
/** A sender that is silent for this long in the middle of a body is given up. */
const silenceMaxMs = 30_000;

export interface ParsedBody extends ParsedJson {
  readonly value: JsonObject;
}

/** Reads and parses a JSON object. Throws Fault `body_too_large`, `invalid_json`, `invalid_body`, `invalid_value`. */
export async function readJsonBody(
  request: IncomingMessage,
  bytesMax: number,
  emptyAllowed: boolean,
): Promise<ParsedBody> {
  const bytes = await readBytes(request, bytesMax);
  if (bytes.length === 0 && emptyAllowed) return { value: {}, keysOf: Object.keys };
  return parseBody(bytes);
}

/** Parses the bytes of a JSON object. */
export function parseBody(bytes: Uint8Array): ParsedBody {
  try {
    const parsed = parseJson(bytes, bodyLimits);
    if (!isJsonObject(parsed.value)) throw new Fault('invalid_body');
    return { value: parsed.value, keysOf: parsed.keysOf };
  } catch (error) {
    throw error instanceof JsonError ? toFault(error) : error;
  }
}

function toFault({ kind, key, path }: JsonError): Fault {
  switch (kind) {
    case 'syntax':
      return new Fault('invalid_json');
    case 'depth':
      return new Fault('invalid_value', `Nesting is deeper than ${nestingMax} levels`);
    case 'size':
      return new Fault('body_too_large', `request body holds more than ${itemsMax} values and keys`);
    case 'duplicate':
      return new Fault('invalid_value', `Duplicate key ${JSON.stringify(quote(key))}`, {
        param: [...path, key].join('.'),
      });
  }
}

export function tooLarge(bytesMax: number): Fault {
  return new Fault('body_too_large', `request body exceeds the maximum allowed size of ${bytesMax} bytes`);
}

/**
 * Counts while reading, so that a wrong or absent `Content-Length` helps nobody; stops at the limit. Throws Fault
 * `body_too_large`, and `invalid_value` for a body that is encoded or does not arrive.
 */
export async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Fault('invalid_value', 'Content-Encoding is not supported, send the body as it is');
  }
  if (Number(request.headers['content-length'] ?? 0) >= bytesMax) throw tooLarge(bytesMax);
  return collect(request, bytesMax);
}

function collect(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const silence = setTimeout(() => {
      fail(new Fault('invalid_value', 'The request body did not arrive in time'));
    }, silenceMaxMs);
    const settle = () => {
      clearTimeout(silence);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
    const fail = (fault: Fault) => {
      settle();
      request.pause();
      reject(fault);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size >= bytesMax) {
        fail(tooLarge(bytesMax));
        return;
      }
      silence.refresh();
      chunks.push(chunk);
    };
    const onEnd = () => {
      settle();
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size));
    };
    const onClose = () => {
      fail(new Fault('client_closed'));
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
