import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyConfig, type BusboyInstance } from '@fastify/busboy';
import { Fault } from '../faults.ts';

/** Throws Fault `invalid_value` for a body of another type. */
export function openMultipartParser(
  request: IncomingMessage,
  limits: BusboyConfig['limits'],
): BusboyInstance {
  const type = request.headers['content-type'];
  // Busboy would also accept urlencoded forms.
  if (type === undefined || !/^multipart\/form-data\s*;/i.test(type)) throw notMultipart();
  try {
    return new Busboy({ headers: { 'content-type': type }, limits });
  } catch (error) {
    throw notMultipart(error);
  }
}

export function notMultipart(cause?: unknown): Fault {
  return new Fault('invalid_value', 'Request body must be multipart/form-data', { cause });
}

export function sentTwice(part: string): Fault {
  return new Fault('invalid_value', `${part} must be sent once`, { param: part });
}
