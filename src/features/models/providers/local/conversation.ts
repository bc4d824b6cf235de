import { Fault } from '../../../../kernel/faults.ts';
import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import type { AssistantPart, ModelRequest, ToolCall, Turn, UserPart } from '../../model.ts';
import { callableTools } from './answer-grammar.ts';
import {
  attempt,
  type Render,
  thinkingOf,
  thoughtEnd,
  type Segment,
  isInside,
  type Thought,
} from './template.ts';
import { callIdAt, type ToolFormat } from './tool-format.ts';

export interface TemplateTraits {
  /** Null for a file without a template. */
  readonly source: string | null;
  readonly render: Render | null;
  readonly thought: Thought | null;
  readonly calls: ToolFormat | null;
  /** Takes control tokens out of data that passes through the template. */
  readonly clean: (text: string) => string;
}

export interface Conversation {
  readonly segments: readonly Segment[];
  /** The answer begins inside a thought. */
  readonly inThought: boolean;
  /** The answer continues what the assistant said last. */
  readonly prefilled: boolean;
  /** Ends an answer of a file without a template. */
  readonly stop: readonly string[];
}

/**
 * A request in the words of the model's template. What people and tools said is put in after rendering, in the place
 * of marks, so that no control token can arise in it. Throws Fault `invalid_value` for what the model cannot take.
 *
 * An answer that is bound to a grammar from its start can only think first where the prompt has opened the thought:
 * so it is opened where reasoning was asked for, and closed where it was not.
 */
export function toConversation(
  request: ModelRequest,
  traits: TemplateTraits,
  isBound: boolean,
): Conversation {
  const last = request.turns.at(-1);
  const prefill =
    last?.role === 'assistant' && !last.parts.some(({ type }) => type === 'tool-call')
      ? textOf(last.parts)
      : '';
  const turns = prefill === '' ? request.turns : request.turns.slice(0, -1);
  if (traits.calls === null && callableTools(request).length > 0) {
    throw new Fault('invalid_value', 'The local model cannot call functions.', { param: 'tools' });
  }
  const { system } = request;
  const messages = merged([
    ...(system.length === 0 ? [] : [{ role: 'system', text: system.join('\n\n') } as const]),
    ...turns.flatMap((turn) => messagesOf(turn, traits.calls !== null)),
  ]);
  const { source, thought } = traits;
  const silent = prefill !== '' || request.effort === 'none' || (isBound && request.effort === null);
  const rendered = render(messages, { ...request, effort: silent ? 'none' : request.effort }, traits);
  const tail = rendered.segments.at(-1)?.text ?? '';
  const opened = thought !== null && isInside(thought, tail);
  const opens = !silent && isBound && thought !== null && !opened;
  const added = silent && source !== null ? thoughtEnd(tail, source) : opens ? `${thought.open}\n` : '';
  return {
    segments: [
      ...rendered.segments,
      ...(added === '' ? [] : [{ from: 'template', text: added } as const]),
      ...(prefill === '' ? [] : [{ from: 'data', text: prefill } as const]),
    ],
    inThought: !silent && (opened || opens),
    prefilled: prefill !== '',
    stop: rendered.stop,
  };
}

type Rendered = Pick<Conversation, 'segments' | 'stop'>;

function render(messages: readonly Message[], request: ModelRequest, traits: TemplateTraits): Rendered {
  if (traits.render === null) return plain(messages);
  const shapes = [messages, withoutSystem(messages)];
  for (const shape of [...shapes, ...shapes.map(oneCallEach)]) {
    const segments = fill(shape, request, { ...traits, render: traits.render });
    if (segments !== null) return { segments, stop: [] };
  }
  const hasCalls = messages.some(({ role, calls = [] }) => role === 'tool' || calls.length > 0);
  if (hasCalls || request.tools.length > 0) {
    throw new Fault('invalid_value', "The local model's chat template does not take this conversation.", {
      param: 'messages',
    });
  }
  return plain(messages);
}

/** Null when the template raised, or dropped, changed or repeated what was said. */
function fill(
  messages: readonly Message[],
  request: ModelRequest,
  traits: TemplateTraits & { readonly render: Render },
) {
  const tools =
    request.toolChoice === 'none' ? [] : callableTools(request).map((tool) => toolOf(tool, traits.clean));
  const texts = messages.map(({ text }) => text);
  const marks = marksFor(texts, JSON.stringify(tools) + JSON.stringify(messages));
  const ids = new Map(
    messages.flatMap(({ calls = [] }) => calls).map(({ id }, index) => [id, callIdAt(index)]),
  );
  const text = attempt(() =>
    traits.render({
      messages: messages.map((message, index) => wireOf(message, marks[index] ?? '', ids, traits)),
      ...(tools.length > 0 ? { tools } : {}),
      add_generation_prompt: true,
      ...thinkingOf(request.effort),
    }),
  );
  return text === null ? null : split(text, marks, texts);
}

function toolOf(
  { name, description, parameters }: ModelRequest['tools'][number],
  clean: (text: string) => string,
): Json {
  return {
    type: 'function',
    function: { name, description: clean(description ?? ''), parameters: cleaned(parameters, clean) },
  };
}

function wireOf(
  message: Message,
  mark: string,
  ids: ReadonlyMap<string, string>,
  { calls: format, clean }: TemplateTraits,
) {
  const calls = (message.calls ?? []).map(({ id, name, arguments: text }) => {
    const given = cleaned(parsed(text), clean);
    const inner = {
      name: clean(name),
      arguments: format?.argumentsAs === 'text' ? JSON.stringify(given) : given,
    };
    return { id: ids.get(id) ?? callIdAt(0), type: 'function', function: inner };
  });
  return {
    role: message.role,
    content: mark,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(message.role === 'tool'
      ? { tool_call_id: ids.get(message.callId ?? '') ?? callIdAt(0), name: clean(message.name ?? '') }
      : {}),
  };
}

/** Arguments that a model wrote; what is no object is shown as a text. */
function parsed(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : { value: text };
  } catch {
    return text.trim() === '' ? {} : { value: text };
  }
}

function cleaned(value: Json, clean: (text: string) => string): Json {
  if (typeof value === 'string') return clean(value);
  if (value === null || typeof value !== 'object') return value;
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [clean(key), cleaned(inner, clean)]),
    );
  }
  return value.map((inner) => cleaned(inner, clean));
}

/** One mark per text; an empty text stays empty, because templates test for that. */
function marksFor(texts: readonly string[], others: string): readonly string[] {
  let word = 'nestor-content';
  while (others.includes(word)) word += '-x';
  return texts.map((text, index) => (text === '' ? '' : `${word}-${index}-here`));
}

function split(text: string, marks: readonly string[], texts: readonly string[]): readonly Segment[] | null {
  const places = marks.flatMap((mark, index) => {
    if (mark === '') return [];
    const at = text.indexOf(mark);
    return [{ at: at === text.lastIndexOf(mark) ? at : -1, mark, data: texts[index] ?? '' }];
  });
  if (places.some(({ at }) => at < 0)) return null;
  const segments: Segment[] = [];
  let from = 0;
  for (const { at, mark, data } of places.toSorted((a, b) => a.at - b.at)) {
    const to = at + mark.length;
    // Some templates write results as JSON texts.
    const quoted = text[at - 1] === '"' && text[to] === '"';
    segments.push({ from: 'template', text: text.slice(from, at) });
    segments.push({ from: 'data', text: quoted ? JSON.stringify(data).slice(1, -1) : data });
    from = to;
  }
  return [...segments, { from: 'template', text: text.slice(from) }];
}

/** For files without a template. */
function plain(messages: readonly Message[]): Rendered {
  const labels = { system: '', user: 'User: ', assistant: 'Assistant: ', tool: 'Result: ' };
  const segments = messages.flatMap(({ role, text }): Segment[] => [
    { from: 'template', text: labels[role] },
    { from: 'data', text },
    { from: 'template', text: '\n\n' },
  ]);
  return {
    segments: [...segments, { from: 'template', text: 'Assistant:' }],
    stop: ['\nUser:', '\nAssistant:'],
  };
}

/** A turn as chat templates know them. */
interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls?: readonly ToolCall[];
  /** The call that a tool's result belongs to. */
  readonly callId?: string;
  readonly name?: string;
}

/** `callable`: the template knows calls; else they are described in text. */
function messagesOf(turn: Turn, callable: boolean): readonly Message[] {
  if (turn.role === 'user') return [{ role: 'user', text: textOf(turn.parts) }];
  if (turn.role === 'tool') {
    return turn.results.map(({ callId, name, parts }) =>
      callable
        ? { role: 'tool', text: textOf(parts), callId, name }
        : { role: 'user', text: `Result of ${name}:\n${textOf(parts)}` },
    );
  }
  const calls = turn.parts.filter((part) => part.type === 'tool-call');
  const text = textOf(turn.parts);
  if (callable) return [{ role: 'assistant', text, calls }];
  const described = calls.map((call) => `Called ${call.name} with ${call.arguments}`);
  return [{ role: 'assistant', text: [text, ...described].filter((line) => line !== '').join('\n') }];
}

function textOf(parts: readonly (UserPart | AssistantPart)[]): string {
  const texts = parts.flatMap((part) => {
    if (part.type === 'image' || part.type === 'document')
      throw new Fault('invalid_value', `The local model does not take ${part.type}s.`);
    return part.type === 'text' ? [part.text] : [];
  });
  return texts.join('\n');
}

/** Templates want the roles to alternate. */
function merged(messages: readonly Message[]): readonly Message[] {
  const result: Message[] = [];
  for (const message of messages) {
    const before = result.at(-1);
    const alike = before !== undefined && before.role === message.role && message.role !== 'tool';
    if (!alike || (before.calls?.length ?? 0) > 0) result.push(message);
    else result[result.length - 1] = { ...before, ...message, text: joined(before.text, message.text) };
  }
  return result;
}

function joined(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

/** For templates without a system role. */
function withoutSystem(messages: readonly Message[]): readonly Message[] {
  const [system, ...rest] = messages;
  if (system?.role !== 'system') return messages;
  const [user, ...others] = rest[0]?.role === 'user' ? rest : [{ role: 'user', text: '' } as const, ...rest];
  return user === undefined ? messages : [{ ...user, text: joined(system.text, user.text) }, ...others];
}

/** One call per message, followed by its result, for templates that take one call per turn and drop the text beside it. */
function oneCallEach(messages: readonly Message[]): readonly Message[] {
  const results = messages.filter(({ role }) => role === 'tool');
  return messages.flatMap((message): readonly Message[] => {
    if (message.role === 'tool') return [];
    const { calls: all = [] } = message;
    if (all.length === 0) return [message];
    const calls = all.flatMap((call) => [
      { role: 'assistant' as const, text: '', calls: [call] },
      ...results.filter(({ callId }) => callId === call.id),
    ]);
    return message.text === '' ? calls : [{ role: 'assistant', text: message.text }, ...calls];
  });
}
