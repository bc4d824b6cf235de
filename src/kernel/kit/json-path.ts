import { isList, objectsOf } from './json-fields.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';

type Path = readonly (string | number)[];

/** The value at a path of JSON that another program wrote; undefined where the path leads nowhere. */
export function at(value: Json | undefined, ...path: Path): Json | undefined {
  let found = value;
  for (const step of path) {
    if (typeof step === 'number') found = isList(found) ? found[step] : undefined;
    else found = isJsonObject(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  }
  return found;
}

export function textAt(value: Json | undefined, ...path: Path): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : null;
}

export function numberAt(value: Json | undefined, ...path: Path): number | null {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : null;
}

/** Empty for what is no list. */
export function listAt(value: Json | undefined, ...path: Path): readonly Json[] {
  const found = at(value, ...path);
  return isList(found) ? found : [];
}

/** The objects of a list; empty for what is none. */
export function objectsAt(value: Json | undefined, ...path: Path): readonly JsonObject[] {
  return objectsOf(at(value, ...path));
}
