import { RE2JS } from 're2js';
import { Fault } from '../../kernel/faults.ts';
import type { LocalCheck } from './structured.ts';

const regexCharsMax = 4_096;

/**
 * Instructions that a pattern may become. `x{1000}` is a thousand: 400,000 took two seconds to compile on one core, and
 * nothing else ran meanwhile; this many take about 60 ms.
 */
const programMax = 10_000;

/** An expression in RE2 syntax that the whole answer has to match. Throws Fault `invalid_value`. */
export function parseRegex(regex: string, param: string): LocalCheck {
  const fail = (cause: unknown): never => {
    throw new Fault('invalid_value', `${param} is not a valid expression`, { param, cause });
  };
  if (regex === '' || regex.length > regexCharsMax) fail(new Error('length'));
  let compiled: RE2JS | null = null;
  try {
    compiled = compileBounded(regex);
  } catch (error) {
    fail(error);
  }
  return {
    instruction: `Answer with only a text that matches this regular expression as a whole, and nothing else: ${regex}`,
    check(text) {
      // Models end with a line break that nobody asked for; an expression that wants one gets it.
      const candidates = [text, text.trim()];
      const match = candidates.find((candidate) => compiled?.matches(candidate));
      if (match !== undefined) return { ok: true, text: match };
      return { ok: false, problem: 'the answer does not match the expression' };
    },
  };
}

/** The expressions of a JSON Schema are those of JavaScript; what RE2 has no form for is refused. Throws an Error. */
export function compileSchemaPattern(pattern: string): RE2JS {
  if (pattern.length > regexCharsMax) throw new Error('a pattern is too long');
  return compileBounded(RE2JS.translateRegExp(pattern));
}

function compileBounded(regex: string): RE2JS {
  if (programSizeOf(regex) > programMax) throw new Error('a pattern repeats too much');
  return RE2JS.compile(regex);
}

/** Estimates the instructions of an expression unparsed, so that the compiler never sees one that is too large. */
export function programSizeOf(regex: string): number {
  const groups: number[] = [0];
  let atom = 0;
  const close = () => {
    const inner = groups.length > 1 ? (groups.pop() ?? 0) : 0;
    atom = inner + 2;
    groups.push((groups.pop() ?? 0) + atom);
  };
  for (let at = 0; at < regex.length; at++) {
    const character = regex[at];
    const repeat = character === '{' ? /^\{(\d+)(?:,(\d*))?\}/.exec(regex.slice(at, at + 16)) : null;
    if (repeat !== null) {
      const times = Math.max(1, Number(repeat[1]), Number(repeat[2] ?? 0));
      groups.push((groups.pop() ?? 0) + atom * (times - 1));
      atom *= times;
      at += repeat[0].length - 1;
    } else if (character === '(') groups.push(0);
    else if (character === ')') close();
    else {
      if (character === '\\') at++;
      else if (character === '[') at = endOfClass(regex, at);
      atom = 1;
      groups.push((groups.pop() ?? 0) + 1);
    }
  }
  return groups.reduce((sum, size) => sum + size, 0);
}

/** Index of the `]` that ends the class which begins here. */
function endOfClass(regex: string, start: number): number {
  let at = start + 1;
  if (regex[at] === '^') at++;
  if (regex[at] === ']') at++;
  for (; at < regex.length && regex[at] !== ']'; at++) if (regex[at] === '\\') at++;
  return at;
}
