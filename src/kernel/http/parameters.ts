import { Type, type TSchema } from 'typebox';
import type { Surface } from './error-dialects.ts';
import { createValidator, type Node } from './validate.ts';
import { problemToFault, type Place } from './validation-errors.ts';

/** A UUID parameter, reported as `uuid_parsing` on a 422. */
export const Uuid = Type.String({
  format: 'uuid',
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
});

/** Parses parameters. Throws a Fault of the surface. */
export type ReadParameters = (texts: Readonly<Record<string, string>>) => unknown;

export function createParameterReader(schema: TSchema, place: Place, surface: Surface): ReadParameters {
  const validator = createValidator(schema);
  const properties = Object.entries((schema as Node).properties ?? {});
  return (texts) => {
    const sent = properties.filter(([name]) => Object.hasOwn(texts, name));
    const value = Object.fromEntries(sent.map(([name, node]) => [name, toValue(node, texts[name] ?? '')]));
    if (validator.check(value)) return value;
    throw problemToFault(surface, validator.explain(value), place);
  };
}

/** Parses a text by its schema; malformed text stays text, which the schema refuses. */
function toValue(node: Node, text: string): unknown {
  switch (node.type) {
    case 'integer':
      return /^-?\d+$/.test(text) ? Number(text) : text;
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    default: {
      const values = node.anyOf?.map((member) => toValue(member, text)) ?? [];
      return values.find((value) => value !== text) ?? text;
    }
  }
}

const noQuery = new URLSearchParams();

/** The query of an address, to be read only. */
export function toQuery(text: string): URLSearchParams {
  return text === '' ? noQuery : new URLSearchParams(text);
}
