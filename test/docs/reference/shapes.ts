import type { DescribedOperation } from './source.ts';
import type { Schema } from './schema.ts';
import { toAnchor } from './words.ts';

/** A shape with a name (`title` of its schema) and the one place where it is told. */
export interface Shape {
  readonly name: string;
  readonly schema: Schema;
  readonly side: 'request' | 'response';
  /** Name of the page. */
  readonly page: string;
  readonly anchor: string;
  /** Whether it is told where an operation takes or answers it, and not in a section of its own. */
  readonly isInline: boolean;
}

/**
 * Every named shape by its name. One that is a whole body is told there, any other below the operations of the page
 * that names it first. Throws Error when two shapes share a name.
 */
export function findShapes(operations: readonly DescribedOperation[]): ReadonlyMap<string, Shape> {
  const shapes = new Map<string, Shape>();
  for (const { group, method, path, body, responses } of operations) {
    const anchor = toAnchor(`${method} ${path}`);
    const visit = (schema: Schema, side: Shape['side'], isWhole: boolean): void => {
      const { title } = schema;
      if (title !== undefined) {
        const known = shapes.get(title);
        if (known !== undefined) {
          if (JSON.stringify(known.schema) !== JSON.stringify(schema))
            throw new Error(`two shapes: ${title}`);
          return;
        }
        const place = isWhole ? anchor : toAnchor(title);
        shapes.set(title, { name: title, schema, side, page: group, anchor: place, isInline: isWhole });
      }
      for (const inner of innerOf(schema)) visit(inner, side, false);
    };
    if (body !== null) visit(body.schema, 'request', true);
    for (const response of Object.values(responses))
      if (response !== null) visit(response.schema, 'response', true);
  }
  return shapes;
}

function innerOf(schema: Schema): readonly Schema[] {
  const { anyOf, items, properties, additionalProperties } = schema;
  return [
    ...(anyOf ?? []),
    ...(items === undefined ? [] : [items]),
    ...Object.values(properties ?? {}),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
}

/** A link to a shape from a page. */
export function toLink(shape: Shape, page: string): string {
  return `[\`${shape.name}\`](${shape.page === page ? '' : `${shape.page}.md`}#${shape.anchor})`;
}
