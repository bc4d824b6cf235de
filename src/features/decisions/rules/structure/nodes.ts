import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { isExactNumber } from '../../../../kernel/kit/json-exact.ts';

/** A value of a structure, and the way to it. */
export interface Node {
  readonly value: Json;
  /** Key in an object or place in a list; null for the whole. */
  readonly key: string | number | null;
  readonly parent: Node | null;
  /** Number of the list's items where this is one. */
  readonly siblings: number;
  /** Number of values that hold it. */
  readonly depth: number;
}

/** Most values that are looked at. In a structure with more, no question finds its value. */
const nodesMax = 20_000;
/** What a body may have; JSON that is sent as a text may be deeper. */
export const depthMax = 100;

/** All values of a structure, each after what holds it; null for a structure that is too large or too deep. */
export function nodesOf(root: Json): readonly Node[] | null {
  const nodes: Node[] = [{ value: root, key: null, parent: null, siblings: 0, depth: 0 }];
  for (const parent of nodes) {
    const { value } = parent;
    const depth = parent.depth + 1;
    if (nodes.length > nodesMax || parent.depth > depthMax) return null;
    if (Array.isArray(value)) {
      const items = value as readonly Json[];
      for (const [key, item] of items.entries())
        nodes.push({ value: item, key, parent, siblings: items.length, depth });
    } else if (isJsonObject(value) && !isExactNumber(value)) {
      for (const [key, item] of Object.entries(value))
        nodes.push({ value: item, key, parent, siblings: 0, depth });
    }
  }
  return nodes;
}

/** Of more values in one object, each would be compared with all others. */
const membersMax = 100;

/** The values of each object that has no more than can be compared with each other. */
export function membersOf(nodes: readonly Node[]): readonly (readonly Node[])[] {
  const groups = Map.groupBy(nodes, ({ parent }) => parent);
  return [...groups].flatMap(([holder, members]) =>
    holder !== null && isJsonObject(holder.value) && members.length <= membersMax ? [members] : [],
  );
}

export type Scalar = string | number | boolean | null;

export function isScalar(value: Json): value is Scalar {
  return value === null || typeof value !== 'object';
}

/** Value at a path as programs write it, such as `items[3].status`: places count from 0. Undefined where there is none. */
export function valueAt(root: Json, path: string): Json | undefined {
  const steps = path.match(/[^.[\]]+/g) ?? [];
  if (steps[0] === '$') steps.shift();
  let value: Json | undefined = root;
  for (const step of steps) {
    if (Array.isArray(value))
      value = /^\d+$/.test(step) ? (value as readonly Json[])[Number(step)] : undefined;
    else if (isJsonObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}
