import { Type, type TSchema } from 'typebox';

/** Schemas as they are, with words for the published description. Nothing here changes what a schema accepts or refuses. */

/** The same fields, each with what it means. */
export function described<Fields extends Readonly<Record<string, TSchema>>>(
  fields: Fields,
  meanings: Readonly<Partial<Record<keyof Fields & string, string>>>,
): Fields {
  const texts: Readonly<Record<string, string | undefined>> = meanings;
  const described = Object.entries(fields).map(([name, schema]) => {
    const description = texts[name];
    return [name, description === undefined ? schema : Type.With(schema, { description })];
  });
  return Object.fromEntries(described) as Fields;
}

/** A shape under a name, which the reference describes once and links to. The name stands for this shape only. */
export function named<Schema extends TSchema>(title: string, schema: Schema, description?: string): Schema {
  const words = description === undefined ? { title } : { title, description };
  return Type.With(schema, words) as unknown as Schema;
}
