import { isJsonObject, type Json } from '../../kernel/kit/json.ts';

/** What lies at a path of a value that another program wrote; undefined where the path leads nowhere. */
export function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let found: Json | undefined = value;
  for (const step of path) {
    if (typeof step === 'number') found = isList(found) ? found[step] : undefined;
    else found = isJsonObject(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  }
  return found;
}

export function textAt(value: Json | undefined, ...path: readonly (string | number)[]): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : null;
}

export function numberAt(value: Json | undefined, ...path: readonly (string | number)[]): number | null {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : null;
}

export function listAt(value: Json | undefined, ...path: readonly (string | number)[]): readonly Json[] {
  const found = at(value, ...path);
  return isList(found) ? found : [];
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
