import { momentOf, monthsBetween, nowOf } from './clock.ts';
import type { Node } from './nodes.ts';
import { onlyOne } from './subjects.ts';

const birthKey = /^(?:dob|born(?:_?on)?|birth_?(?:date|day)|date_?of_?birth)$/i;

/** How many full years somebody has, where a state tells the day of the birth and that of today. */
export function ageAt(nodes: readonly Node[]): { readonly years: number; readonly node: Node } | null {
  const node = onlyOne(nodes.filter(({ key }) => typeof key === 'string' && birthKey.test(key)));
  const [born, now] = [node && momentOf(node), nowOf(nodes)];
  if (node === null || born === null || now === null || born.day > now.day) return null;
  return { years: Math.floor(monthsBetween(born, now) / 12), node };
}
