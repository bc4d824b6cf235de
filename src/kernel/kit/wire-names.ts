/** `accountId` is `account_id`; `createdAtMs`, in ms, is `created_at`, in s. */
type WireName<Name extends string> = Name extends `${infer Head}AtMs`
  ? `${SnakeName<Head>}_at`
  : SnakeName<Name>;

type SnakeName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name;

/** A record as the wire has it. */
type Wire<Item> = {
  -readonly [Name in keyof Item as Name extends string ? WireName<Name> : never]: Item[Name];
};

/**
 * A record with the names and times of the wire: snake case, and instants in whole seconds since the Unix epoch. What
 * its fields hold stays as it is.
 */
export function toWire<Item extends object>(item: Item): Wire<Item> {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => toWireEntry(name, value)),
  ) as Wire<Item>;
}

export function toWireEntry(name: string, value: unknown): readonly [name: string, value: unknown] {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (!snake.endsWith('_at_ms')) return [snake, value];
  return [snake.slice(0, -'_ms'.length), typeof value === 'number' ? Math.floor(value / 1_000) : value];
}
