import { Fault, faultTable, type FaultCode } from '../../../src/kernel/faults.ts';
import { dialects, toErrorBody, type Surface } from '../../../src/kernel/http/error-dialects.ts';
import type { DescribedOperation } from './source.ts';
import { operationWords } from './words.ts';

const codes = Object.keys(faultTable) as FaultCode[];
const whenOf: Readonly<Record<number, string>> = {
  400: 'The request is not what the operation takes.',
  401: 'The key is missing, malformed or unknown.',
  403: 'The key may not use this group of operations.',
  404: 'The path, or what it names, does not exist.',
  405: 'The path has other methods; `Allow` lists them.',
  409: 'The request stands against what is stored.',
  413: 'The body is too large, or the account stores as much as it may.',
  422: 'A field is not what the operation takes; `detail` lists what is wrong.',
  429: 'A limit is exhausted. Wait as `Retry-After` says.',
  500: 'A defect of this server.',
  502: 'A backend gave an unusable answer.',
  503: 'A backend or the server is not available.',
  504: 'A backend did not answer in time.',
  529: 'Every backend of the model is busy or away.',
};

/** Statuses of errors that an operation itself can answer with, beside those of any request. */
export function statusesOf(operation: DescribedOperation): readonly number[] {
  const { id, body, parameters, credentials, path, surface, buckets } = operation;
  const isChecked = body !== null || parameters.some((parameter) => parameter.in === 'query');
  const found = new Set<number>(Object.keys(operationWords[id]?.statuses ?? {}).map(Number));
  if (isChecked) found.add(400);
  if (isChecked && dialects[surface].shape === 'V') found.add(422);
  if (credentials !== 'none') found.add(401);
  if (credentials !== 'none' && credentials !== 'admin') found.add(403);
  if (path.includes('{')) found.add(404);
  if (body !== null) found.add(413);
  if (buckets.length > 0) found.add(429);
  return [...found].toSorted((a, b) => a - b);
}

/** How a surface tells errors: the body, and what stands in it by status. */
export function toErrorSection(surface: Surface, operations: readonly DescribedOperation[]): string {
  const statuses = new Set([405, 500, 502, 503, 504, ...operations.flatMap(statusesOf)]);
  const { shape } = dialects[surface];
  const { place, name } = missingOf(operations);
  const sample =
    shape === 'V'
      ? new Fault('validation_failed', `${name}: Field required`, {
          param: name,
          details: [{ loc: [place, name], msg: 'Field required', type: 'missing' }],
        })
      : statuses.has(400)
        ? new Fault('missing_field', `Missing required field "${name}"`, { param: name })
        : new Fault('not_found');
  const rows = [...statuses].toSorted((a, b) => a - b).map((status) => toRow(surface, status));
  return [
    `The body of an error with status ${sample.status}:`,
    `\`\`\`json\n${JSON.stringify(toErrorBody(surface, sample, '0d9c5f3e-…'), null, 2)}\n\`\`\``,
    `| Status | \`type\` | \`code\` | When |\n| --- | --- | --- | --- |\n${rows.join('\n')}`,
  ].join('\n\n');
}

/** A field without which the first operation that has one refuses a request. */
function missingOf(operations: readonly DescribedOperation[]) {
  for (const { body, parameters } of operations) {
    const [name] = body?.schema.required ?? [];
    if (name !== undefined) return { place: 'body', name };
    const parameter = parameters.find(({ in: place, required }) => place === 'query' && required);
    if (parameter !== undefined) return { place: 'query', name: parameter.name };
  }
  return { place: 'query', name: 'limit' };
}

function toRow(surface: Surface, status: number): string {
  const faults = codes.filter((code) => faultTable[code].status === status).map((code) => new Fault(code));
  const told = faults.map((fault) => errorOf(toErrorBody(surface, fault, '')));
  const list = (values: readonly unknown[]) =>
    [...new Set(values.map((value) => (value === undefined ? '-' : `\`${JSON.stringify(value)}\``)))].join(
      ', ',
    );
  const types = list(told.map(({ type }) => type)).replaceAll('"', '');
  return `| ${status} | ${types} | ${list(told.map(({ code }) => code))} | ${whenOf[status] ?? ''} |`;
}

function errorOf(body: object): { readonly type: string; readonly code: unknown } {
  return (body as { readonly error: { readonly type: string; readonly code: unknown } }).error;
}
