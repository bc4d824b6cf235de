import type { FunctionTool, ModelRequest } from '../../model.ts';
import { literal, printGrammar, type Rules } from './gbnf.ts';
import { objectGrammar, toJsonGrammar, type JsonGrammar } from './json-grammar.ts';
import type { ToolFormat } from './tool-format.ts';

/** The form that an answer must have. */
export interface AnswerPlan {
  /** The grammar of the answer; null where it is free. */
  readonly grammar: string | null;
  /** `call`: the grammar rules only once the model has begun a call of its own accord; the text before is free. */
  readonly from: 'start' | 'call';
  /** How calls are written; null where there can be none. */
  readonly calls: ToolFormat | null;
  /** The answer consists of calls. */
  readonly forced: boolean;
}

/** The tools that this answer may call. */
export function callableTools({ tools, toolChoice }: ModelRequest): readonly FunctionTool[] {
  if (toolChoice === 'none') return [];
  return typeof toolChoice === 'string' ? tools : tools.filter(({ name }) => name === toolChoice.name);
}

/** `loose` asks for JSON of any shape instead of what the schemas say. */
export function planAnswer(request: ModelRequest, format: ToolFormat | null, loose: boolean): AnswerPlan {
  const answer = textGrammarOf(request, loose);
  const tools = format === null ? [] : callableTools(request);
  const forced = request.toolChoice !== 'auto' && tools.length > 0;
  // A call without a marker is itself JSON and could not be distinguished from the answer.
  const mixed = answer === null || forced || format?.marked === true;
  if (format === null || tools.length === 0 || !mixed) {
    const grammar = answer && printGrammar(`${blanks} ${answer.root}`, answer.rules);
    return { grammar, from: 'start', calls: null, forced: false };
  }
  const from = forced || answer !== null ? 'start' : 'call';
  const open = from === 'start' ? format.open : restOf(format);
  const rules = callRules(tools, format, open, loose, request.parallelToolCalls);
  const both = answer !== null && !forced;
  const root = both ? `(${answer.root} | calls)` : 'calls';
  const grammar = printGrammar(
    from === 'start' ? `${blanks} ${root}` : root,
    both ? new Map([...answer.rules, ...rules]) : rules,
  );
  return { grammar, from, calls: format, forced };
}

/** Models put them behind a thought. */
const blanks = String.raw`"\n"{0,2}`;

/** The text that begins a call: the marker of the format, or everything before the name. */
export function triggerOf({ open, marked }: ToolFormat): string {
  return marked ? (/^(?:<[^>\s]*>|\[[^\]\s]*\])/.exec(open)?.[0] ?? open) : open;
}

export function restOf(format: ToolFormat): string {
  return format.open.slice(triggerOf(format).length);
}

function textGrammarOf({ format }: ModelRequest, loose: boolean): JsonGrammar | null {
  if (format.type === 'text') return null;
  return format.type === 'json' || loose ? objectGrammar : toJsonGrammar(format.schema, 'answer');
}

/** The rule `calls` and those that it needs. */
function callRules(
  tools: readonly FunctionTool[],
  format: ToolFormat,
  open: string,
  loose: boolean,
  parallel: boolean,
): Rules {
  const rules = new Map<string, string>();
  const one = tools.map(({ name, parameters }, index) => {
    // Arguments are an object also where the schema forgets to say so.
    const grammar = loose ? objectGrammar : toJsonGrammar({ ...parameters, type: 'object' }, `tool-${index}`);
    for (const [rule, body] of grammar.rules) rules.set(rule, body);
    return `${literal(name + format.middle)} ${grammar.root}`;
  });
  const more = parallel && format.between !== null ? `(${literal(format.between)} call)*` : '';
  rules.set('call', one.join(' | '));
  rules.set('calls', `${literal(open)} call ${more} ${literal(format.close)}`);
  return rules;
}
