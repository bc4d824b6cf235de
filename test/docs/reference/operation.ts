import type { Bucket } from '../../../src/kernel/http/operation.ts';
import { statusesOf } from './errors.ts';
import { toCurl } from './example.ts';
import { toFields, toPhrase, type Reading, type Schema } from './schema.ts';
import { toLink, type Shape } from './shapes.ts';
import type { Content, DescribedOperation } from './source.ts';
import { operationWords, toAnchor } from './words.ts';

export type Shapes = ReadonlyMap<string, Shape>;

/** The section of one operation, as Markdown. */
export function toSection(operation: DescribedOperation, shapes: Shapes): string {
  const { id, group, method, path, summary, parameters, body, responses } = operation;
  const { more } = operationWords[id] ?? {};
  const blocks = [`## ${method} ${path}`, `${summary}.${more === undefined ? '' : ` ${more}`}`];
  blocks.push(toFacts(operation).join('\n'));
  blocks.push(`\`\`\`sh\n${toCurl(operation)}\n\`\`\``);
  const here = { page: group, operation };
  if (parameters.length > 0) {
    const reading = readingOf(shapes, group, 'request');
    blocks.push(
      '**Parameters**',
      parameters
        .map(({ name, in: place, required, schema }) => {
          const mark = required ? ', required' : '';
          const described = schema.description === undefined ? '' : `: ${schema.description}`;
          return `- \`${name}\` (${place}, ${toPhrase(schema, reading)}${mark})${described}`;
        })
        .join('\n'),
    );
  }
  if (body !== null) blocks.push('**Request body**', toContentText(body, 'request', here, shapes));
  for (const [status, content] of Object.entries(responses)) {
    blocks.push(`**Response ${status}**`);
    blocks.push(content === null ? 'No body.' : toContentText(content, 'response', here, shapes));
  }
  return blocks.filter((block) => block !== '').join('\n\n');
}

function toFacts(operation: DescribedOperation): string[] {
  const { id, method, aliases, credentials, buckets, body, timeoutMs, surface } = operation;
  const { statuses = {}, headers = {} } = operationWords[id] ?? {};
  const facts: string[] = [];
  if (aliases.length > 0)
    facts.push(`- Also at: ${aliases.map((path) => `\`${method} ${path}\``).join(', ')}`);
  facts.push(`- Credentials: ${credentialsOf(credentials)}`);
  if (buckets.length > 0)
    facts.push(`- [Limits](../guide/rate-limits.md): ${buckets.map(limitOf).join('; ')}`);
  if (body !== null) facts.push(`- Size: ${sizeOf(body)}`);
  if (timeoutMs !== null) facts.push(`- Time: 504 after ${timeoutMs / 1_000} s by default`);
  const told = statusesOf(operation).map((status) => {
    const why = statuses[status];
    return why === undefined ? String(status) : `${status} (${why})`;
  });
  if (told.length > 0) facts.push(`- Errors: ${told.join(', ')}; [how they are told](#errors-of-${surface})`);
  for (const [name, meaning] of Object.entries(headers)) facts.push(`- Header \`${name}\`: ${meaning}`);
  return facts;
}

function credentialsOf(credentials: DescribedOperation['credentials']): string {
  switch (credentials) {
    case 'none':
      return 'none';
    case 'bearer':
      return '`Authorization: Bearer KEY`';
    case 'bearer or x-api-key':
      return '`Authorization: Bearer KEY` or `x-api-key: KEY`';
    case 'admin':
      return '`Authorization: Bearer ADMIN_KEY`';
  }
}

function limitOf({ name, windowMs, capacity, per }: Bucket): string {
  const window = windowMs === 1_000 ? 'second' : 'minute';
  const number = typeof capacity === 'number' ? [capacity] : [...new Set(capacity)];
  const isTiered = typeof capacity !== 'number' && number.length > 1;
  const numbers = (isTiered ? capacity : number).map((value) => value.toLocaleString('en')).join(' / ');
  const tiers = isTiered ? ' for the tiers 0 to 5' : '';
  return `\`${name}\` ${numbers} per ${window}${tiers}${per === 'address' ? ' and client address' : ''}`;
}

function sizeOf({ bytesMax, mediaType, required }: NonNullable<DescribedOperation['body']>): string {
  const isFile = mediaType === 'multipart/form-data';
  const text = isFile
    ? `a file of at most ${bytesMax.toLocaleString('en')} bytes`
    : `a body below ${bytesMax.toLocaleString('en')} bytes`;
  return required ? text : `${text}, which may be empty`;
}

interface Here {
  readonly page: string;
  readonly operation: DescribedOperation;
}

function toContentText(
  { mediaType, schema }: Content,
  side: Reading['side'],
  { page, operation }: Here,
  shapes: Shapes,
): string {
  const reading = readingOf(shapes, page, side);
  const shape = schema.title === undefined ? undefined : shapes.get(schema.title);
  const isToldElsewhere =
    shape !== undefined && !(shape.isInline && isFirstWith(schema, side, operation, shape));
  const type = mediaType === 'application/json' ? '' : `\`${mediaType}\`. `;
  if (isToldElsewhere) return `${type}${toLink(shape, page)}.`;
  if (schema.type === 'undefined') return 'No body.';
  if (mediaType !== 'application/json' && side === 'response') return `${type}The bytes as they are.`;
  return toBodyText(schema, { ...reading, linkTo: except(schema, reading.linkTo) }, type);
}

function toBodyText(schema: Schema, reading: Reading, type: string): string {
  const described = schema.description === undefined ? '' : `${schema.description} `;
  const fields = toFields(schema, reading);
  const unknown =
    reading.side === 'request' && schema.type === 'object' && type === ''
      ? schema.additionalProperties === false
        ? 'Unknown fields are refused. '
        : 'Unknown fields are passed over. '
      : '';
  const lead = `${type}${described}${unknown}`.trim();
  if (fields.length === 0) return lead === '' ? `${capital(toPhrase(schema, reading))}.` : lead;
  return `${lead}${lead === '' ? '' : '\n\n'}${fields.join('\n')}`;
}

/** The section of a shape that several places name. */
export function toShapeSection(shape: Shape, shapes: Shapes): string {
  const reading = readingOf(shapes, shape.page, shape.side);
  const own = { ...reading, linkTo: except(shape.schema, reading.linkTo) };
  const fields = toFields(shape.schema, own);
  const phrase = fields.length === 0 || shape.schema.anyOf !== undefined ? toPhrase(shape.schema, own) : '';
  const lead = [
    shape.schema.description ?? '',
    phrase === '' || phrase === 'object' ? '' : `${capital(phrase)}.`,
  ]
    .filter((text) => text !== '')
    .join(' ');
  return [`### ${shape.name}`, lead, fields.join('\n')].filter((text) => text !== '').join('\n\n');
}

function isFirstWith(
  schema: Schema,
  side: Reading['side'],
  { group, method, path }: DescribedOperation,
  shape: Shape,
): boolean {
  const anchor = toAnchor(`${method} ${path}`);
  return (
    shape.page === group && shape.anchor === anchor && shape.side === side && schema.title === shape.name
  );
}

function readingOf(shapes: Shapes, page: string, side: Reading['side']): Reading {
  return {
    side,
    linkTo: ({ title }) => {
      const shape = title === undefined ? undefined : shapes.get(title);
      return shape === undefined ? null : toLink(shape, page);
    },
  };
}

/** The shape that is being told is no link to itself. */
function except(root: Schema, linkTo: Reading['linkTo']): Reading['linkTo'] {
  return (schema) => (schema === root ? null : linkTo(schema));
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
