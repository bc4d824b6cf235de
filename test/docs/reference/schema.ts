/** The keywords of JSON Schema that the published description uses. */
export interface Schema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Reading {
  /** Requests tell what has to be there, responses what may be missing. */
  readonly side: 'request' | 'response';
  /** Markdown link to a shape that is told in another place; null for what is told here. */
  readonly linkTo: (schema: Schema) => string | null;
}

/** Lists within lists that can still be read. */
const depthMax = 5;

/** The fields of an object, of the items of an array or of the members of a union, as a nested list. */
export function toFields(schema: Schema, reading: Reading): string[] {
  return fieldsOf(schema, reading, 0);
}

function fieldsOf(schema: Schema, reading: Reading, depth: number): string[] {
  if (depth > depthMax) throw new Error('too deep to be read: give an inner shape a title');
  if (depth > 0 && reading.linkTo(schema) !== null) return [];
  if (schema.items !== undefined) return withinOf(schema.items, reading, depth);
  if (typeof schema.additionalProperties === 'object')
    return withinOf(schema.additionalProperties, reading, depth);
  if (schema.properties !== undefined) return propertiesOf(schema, reading, depth, null);
  return schema.anyOf === undefined ? [] : membersOf(schema, reading, depth);
}

/** The fields of an item or a value, unless it is told in another place. */
function withinOf(schema: Schema, reading: Reading, depth: number): string[] {
  return reading.linkTo(schema) === null ? fieldsOf(schema, reading, depth) : [];
}

function propertiesOf(schema: Schema, reading: Reading, depth: number, without: string | null): string[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => name !== without)
    .flatMap(([name, inner]) => {
      const isRequired = schema.required?.includes(name) === true;
      const mark = reading.side === 'request' ? (isRequired ? ', required' : '') : isRequired ? '' : ', may be absent'; // prettier-ignore
      const described = descriptionOf(inner, reading);
      const text = `- \`${name}\` (${toPhrase(inner, reading)}${mark})${described === '' ? '' : `: ${described}`}`;
      return [text, ...indent(fieldsOf(inner, reading, depth + 1))];
    });
}

function membersOf(schema: Schema, reading: Reading, depth: number): string[] {
  const members = flatten(schema, reading).filter((member) => reading.linkTo(member) === null);
  const structured = members.filter((member) => fieldsOf(member, reading, depth).length > 0);
  const [first, ...others] = structured;
  if (first === undefined) return [];
  if (others.length === 0) return fieldsOf(first, reading, depth);
  const tag = ['type', 'role', 'object'].find((name) =>
    structured.every((member) => member.properties?.[name]?.const !== undefined),
  );
  return structured.flatMap((member, index) => {
    const value = tag === undefined ? undefined : member.properties?.[tag]?.const;
    const label =
      member.title !== undefined
        ? `${member.title}:`
        : value === undefined || tag === undefined
          ? toAlternative(index, toPhrase(member, reading))
          : `With \`${tag}\` \`${JSON.stringify(value)}\`:`;
    const fields =
      member.properties === undefined
        ? fieldsOf(member, reading, depth + 1)
        : propertiesOf(member, reading, depth + 1, tag ?? null);
    const described = member.description === undefined ? '' : ` ${member.description}`;
    return [`- ${fields.length === 0 ? label.replace(/:$/, '.') : label}${described}`, ...indent(fields)];
  });
}

function toAlternative(index: number, phrase: string): string {
  return `${index === 0 ? 'Either' : 'Or'}${phrase === 'object' ? '' : ` ${phrase}`}:`;
}

/** What stands at a field; a union and an array may leave it to what they hold, unless that is listed below. */
function descriptionOf(schema: Schema, reading: Reading): string {
  if (reading.linkTo(schema) !== null) return '';
  if (schema.description !== undefined) return schema.description;
  const inner = [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])];
  const told = inner.filter(({ properties }) => properties === undefined);
  return [...new Set(told.map((one) => descriptionOf(one, reading)))].filter((text) => text !== '').join(' ');
}

/** The type of a value with its bounds, in a few words. */
export function toPhrase(schema: Schema, reading: Reading): string {
  const link = reading.linkTo(schema);
  if (link !== null) return link;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.anyOf !== undefined || schema.enum !== undefined) return toUnionPhrase(schema, reading);
  if (schema.not !== undefined) return 'refused';
  switch (schema.type) {
    case 'string':
      return toStringPhrase(schema);
    case 'integer':
    case 'number':
      return toNumberPhrase(schema, schema.type);
    case 'array':
      return toListPhrase('array', schema.items, counted(schema.minItems, schema.maxItems, 'items'), reading);
    case 'object':
      return toObjectPhrase(schema, reading);
    case undefined:
      // Names of models are checked by a rule of their own.
      return schema.description?.startsWith('One of: ') === true ? 'string' : 'any JSON value';
    default:
      return schema.type;
  }
}

function toUnionPhrase(schema: Schema, reading: Reading): string {
  const members = flatten(schema, reading).flatMap((member) => member.enum?.map((value) => ({ const: value })) ?? [member]); // prettier-ignore
  const phrases = new Set(members.map((member) => toPhrase(member, reading)));
  const hasNull = phrases.delete('null');
  const all = [...phrases, ...(hasNull ? ['null'] : [])];
  const last = all.at(-1) ?? '';
  if (all.length < 2) return last;
  const isLong = all.some((phrase) => phrase.includes(',') && !phrase.includes('`'));
  return `${all.slice(0, -1).join(', ')}${isLong ? ',' : ''} or ${last}`;
}

function toStringPhrase({ minLength, maxLength, format, pattern }: Schema): string {
  const kind = format === undefined ? 'string' : `string, ${format}`;
  const length = counted(minLength, maxLength, 'characters');
  const match = pattern === undefined ? '' : ` that matches \`${pattern}\``;
  return length === 'not empty' ? `non-empty ${kind}${match}` : `${kind}${length === '' ? '' : ` of ${length}`}${match}`; // prettier-ignore
}

function toNumberPhrase({ minimum, maximum }: Schema, type: string): string {
  const isBounded = maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER;
  if (!isBounded) return minimum === undefined || minimum === 0 ? type : `${type} from ${minimum}`;
  return `${type} ${minimum === undefined ? `up to ${maximum}` : `${minimum} to ${maximum}`}`;
}

function toObjectPhrase(schema: Schema, reading: Reading): string {
  const { additionalProperties, minProperties, maxProperties } = schema;
  if (typeof additionalProperties !== 'object') return 'object';
  const count = counted(minProperties, maxProperties, 'entries');
  const value = Object.keys(additionalProperties).length === 0 ? undefined : additionalProperties;
  return value === undefined && count === '' ? 'object' : toListPhrase('map', value, count, reading);
}

function toListPhrase(kind: string, inner: Schema | undefined, count: string, reading: Reading): string {
  const phrase = inner === undefined ? 'any JSON value' : toPhrase(inner, reading);
  const of = phrase === 'any JSON value' ? '' : / or |, /.test(phrase) ? ` of (${phrase})` : ` of ${phrase}`;
  return `${kind}${of}${count === '' ? '' : `, ${count}`}`;
}

function counted(min: number | undefined, max: number | undefined, unit: string): string {
  if (max === undefined) return min === 1 ? 'not empty' : min === undefined || min === 0 ? '' : `at least ${min} ${unit}`; // prettier-ignore
  if (min === max) return `exactly ${max}`;
  return min === undefined || min === 0 ? `at most ${max} ${unit}` : `${min} to ${max} ${unit}`;
}

/** The members of a union, with those of unions inside of it that have no name of their own. */
function flatten(schema: Schema, reading: Reading): readonly Schema[] {
  if (schema.anyOf === undefined) return [schema];
  return schema.anyOf.flatMap((member) =>
    reading.linkTo(member) !== null ? [member] : flatten(member, reading),
  );
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
