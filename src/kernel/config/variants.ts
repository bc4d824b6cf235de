import { Type, type Static, type TSchema } from 'typebox';
import type { Camel } from './names.ts';
import { entry } from './shape.ts';

/** Settings of a member of a family, which an entry of a list chooses by its `type`. */
export interface Variant {
  readonly type: string;
  /** Members with the same object here share a variant of the union. */
  readonly settings: VariantSettings;
}

export interface VariantSettings<Keys extends Readonly<Record<string, TSchema>> = Record<string, TSchema>> {
  readonly description: string;
  /** What `type` means; the description where this is left out. */
  readonly typeDescription?: string;
  /** The keys beside `type` and those that all members have. */
  readonly keys: Keys;
}

/** The settings of one member as its `open` gets them. */
export type SettingsOf<Keys extends Readonly<Record<string, TSchema>>> = Camel<{
  [Name in keyof Keys]: Static<Keys[Name]>;
}>;

/** An entry of a list, chosen by its `type`: one variant for each settings. `common` are the keys before `type`. */
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
