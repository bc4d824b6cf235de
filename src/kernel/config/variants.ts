import { Type, type Static, type TSchema } from 'typebox';
import type { Camel } from './names.ts';
import { entry } from './shape.ts';

/** A member of a family, selected by the `type` of a list entry. */
export interface Variant {
  readonly type: string;
  /** Members with the same object share a variant of the union. */
  readonly settings: VariantSettings;
}

export interface VariantSettings<Keys extends Readonly<Record<string, TSchema>> = Record<string, TSchema>> {
  readonly description: string;
  /** Description of `type`; `description` by default. */
  readonly typeDescription?: string;
  /** Keys other than `type` and those that all members have. */
  readonly keys: Keys;
}

/** Settings passed to a member's `open`. */
export type SettingsOf<Keys extends Readonly<Record<string, TSchema>>> = Camel<{
  [Name in keyof Keys]: Static<Keys[Name]>;
}>;

/** A list entry with one variant per settings, selected by `type`. `common`: the keys before `type`. */
export function variants<Entry>(
  members: readonly Variant[],
  description: string,
  common: Readonly<Record<string, TSchema>> = {},
) {
  const groups = Map.groupBy(members, ({ settings }) => settings);
  const union = [...groups].map(([settings, same]) => {
    const types = same.map(({ type }) => type);
    const options = { description: settings.typeDescription ?? settings.description };
    const [first = ''] = types;
    const type =
      types.length > 1
        ? Type.Enum(Object.fromEntries(types.map((one) => [one, one])), options)
        : Type.Literal(first, options);
    return entry({ ...common, type, ...settings.keys }, settings.description);
  });
  return Type.Unsafe<Entry>(Type.Union(union, { description }));
}
