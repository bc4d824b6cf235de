import { Type, type TSchema } from 'typebox';

/** Schemas with words for the published description, which do not affect validation. */

/** Adds descriptions to fields by name. */
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

/** Names a shape, which the reference then describes once. A name must stand for one shape. */
export function named<Schema extends TSchema>(title: string, schema: Schema, description?: string): Schema {
  const words = description === undefined ? { title } : { title, description };
  return Type.With(schema, words) as unknown as Schema;
}
