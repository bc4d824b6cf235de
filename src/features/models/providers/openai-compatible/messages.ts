import { hash } from 'node:crypto';
import { Fault } from '../../../../kernel/faults.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import type { AssistantPart, ToolCall, ToolResult, Turn, UserPart } from '../../model.ts';
import type { Quirks } from './quirks.ts';
import { parseDetails, parseReasoning } from './reasoning.ts';

type Part = JsonObject;

/** A message being put together. Neighbours of one role are one message: many templates want roles to alternate. */
type Draft =
  | { readonly role: 'user'; readonly parts: Part[] }
  | { readonly role: 'assistant'; readonly parts: AssistantPart[] }
  | { readonly role: 'tool'; readonly message: JsonObject };

export function toMessages(system: readonly string[], turns: readonly Turn[], quirks: Quirks): JsonObject[] {
  const drafts: Draft[] = [];
  for (const turn of turns) {
    const last = drafts.at(-1);
    if (turn.role === 'tool') addResults(drafts, turn.results, quirks);
    else if (turn.role === 'user')
      addUser(drafts, turn.parts.map((part) => toPart(part, quirks))); // prettier-ignore
    else if (last?.role === 'assistant') last.parts.push(...turn.parts);
    else drafts.push({ role: 'assistant', parts: [...turn.parts] });
  }
  const messages = drafts.map((draft, at) => toMessage(draft, quirks, at === drafts.length - 1));
  const instructions = system.filter((text) => text !== '').join('\n\n');
  return instructions === '' ? messages : [{ role: 'system', content: instructions }, ...messages];
}

function addUser(drafts: Draft[], parts: readonly Part[]): void {
  const last = drafts.at(-1);
  if (last?.role === 'user') last.parts.push(...parts);
  else drafts.push({ role: 'user', parts: [...parts] });
}

/** Results are text on this wire. What else they hold follows in a turn of the user, after the last of them. */
function addResults(drafts: Draft[], results: readonly ToolResult[], quirks: Quirks): void {
  const shown: Part[] = [];
  for (const { callId, name, parts, isError } of results) {
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const others = parts.filter((part) => part.type !== 'text');
    if (others.length > 0) {
      texts.push('What it returned besides text follows.');
      shown.push({ type: 'text', text: `Returned by the tool ${name}:` });
      shown.push(...others.map((part) => toPart(part, quirks)));
    }
    const content = `${isError ? 'Error: ' : ''}${texts.join('\n\n')}`;
    const message = { role: 'tool', tool_call_id: toCallId(callId, quirks), content };
    drafts.push({ role: 'tool', message });
  }
  if (shown.length > 0) addUser(drafts, shown);
}

/** What an assistant says last of all is a prefill. */
function toMessage(draft: Draft, quirks: Quirks, isLast: boolean): JsonObject {
  switch (draft.role) {
    case 'tool':
      return draft.message;
    case 'user':
      return { role: 'user', content: toContent(draft.parts) };
    case 'assistant': {
      const text = draft.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const calls = toCalls(draft.parts, quirks);
      const details = quirks.detailsBack ? detailsOf(draft.parts, quirks) : [];
      const reasoning = {
        ...(quirks.reasoningBack && !isLast && { reasoning_content: reasoningOf(draft.parts) }),
        ...(details.length > 0 && { reasoning_details: details }),
      };
      if (calls.length === 0) return { role: 'assistant', content: text, ...reasoning };
      return { role: 'assistant', content: text === '' ? null : text, tool_calls: calls, ...reasoning };
    }
  }
}

/** Empty where none came, or none is known any more: the field may not be missing. */
function reasoningOf(parts: readonly AssistantPart[]): string {
  return parts
    .map((part) => (part.type === 'tool-call' ? (parseReasoning(part.signature) ?? '') : ''))
    .join('');
}

/** What a caller sent itself is whole; else what its calls were signed with. */
function detailsOf(parts: readonly AssistantPart[], quirks: Quirks): readonly JsonObject[] {
  const sent = parts.flatMap((part) => (part.type === 'reasoning-details' ? part.details : []));
  if (sent.length > 0) return sent;
  return parts.flatMap((part) =>
    part.type === 'tool-call' ? parseDetails(part.signature, toCallId(part.id, quirks)) : [],
  );
}

/** One string where possible: servers for text alone know no parts. */
function toContent(parts: readonly Part[]): Json {
  const texts = parts.map((part) => (part['type'] === 'text' ? part['text'] : null));
  return texts.every((text) => typeof text === 'string') ? texts.join('\n\n') : parts;
}

/** What Gemini documents for calls of another model, and for those whose signature is lost. */
const unsigned = 'skip_thought_signature_validator';

/** Of several calls the first is signed. */
function toCalls(parts: readonly AssistantPart[], quirks: Quirks): JsonObject[] {
  const calls = parts.filter((part) => part.type === 'tool-call');
  const signatures = calls.map((call) => signatureOf(call, quirks));
  const isMarked = quirks.marksUnsigned && signatures.every((signature) => signature === null);
  return calls.map((call, at) => toCall(call, isMarked && at === 0 ? unsigned : signatures[at], quirks));
}

/** Null for what another wire signed, which is JSON. */
function signatureOf({ signature = '' }: ToolCall, { callSignatures }: Quirks): string | null {
  return callSignatures && signature !== '' && !/^[[{]/.test(signature) ? signature : null;
}

function toCall(call: ToolCall, signature: string | null | undefined, quirks: Quirks): JsonObject {
  return {
    id: toCallId(call.id, quirks),
    type: 'function',
    function: { name: call.name, arguments: call.arguments.trim() === '' ? '{}' : call.arguments },
    ...(typeof signature === 'string' && {
      extra_content: { google: { thought_signature: signature } },
    }),
  };
}

/** The same id always becomes the same, so that calls and results still meet. */
function toCallId(id: string, { callIdLength }: Quirks): string {
  if (callIdLength === null || (id.length === callIdLength && /^[a-z0-9]+$/i.test(id))) return id;
  return hash('sha256', id, 'hex').slice(0, callIdLength);
}

function toPart(part: UserPart, quirks: Quirks): Part {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.base64}` } };
    case 'document': {
      if (part.mediaType.startsWith('text/')) return { type: 'text', text: inlineDocument(part) };
      if (!quirks.documents) {
        throw new Fault('invalid_value', 'The model does not read documents of this type.');
      }
      const data = `data:${part.mediaType};base64,${part.base64}`;
      return { type: 'file', file: { filename: part.title ?? 'document.pdf', file_data: data } };
    }
  }
}

function inlineDocument({ title, base64 }: UserPart & { readonly type: 'document' }): string {
  const text = Buffer.from(base64, 'base64').toString('utf8');
  return title === null ? text : `${title}\n\n${text}`;
}
