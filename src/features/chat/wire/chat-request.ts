import type { ChatQuestion } from '../question.ts';
import { Fault } from '../../../kernel/faults.ts';
import type { Caller } from '../../../kernel/kit/caller.ts';
import { quote } from '../../../kernel/kit/text.ts';
import {
  type OutputFormat,
  type Models,
  type StructuredChecks,
  type OutputCheck,
  fetchRemotes,
} from '../../models/feature.ts';
import type { PageReader } from '../../search/feature.ts';
import { checkFiles, readFiles, remoteImagesOf } from './chat-files.ts';
import { chatModelsOf, type ChatModel } from './chat-models.ts';
import { promptTokensOf, toHead, toQuestion } from './chat-question.ts';
import type { ChatHead } from './chat-record.ts';
import type { ChatRequest } from './chat-schema.ts';
import { toWebSearchOptions } from './chat-search.ts';
import { checkMessages } from './chat-turns.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';

/** A body of exactly this many bytes is refused. */
export const chatBytesMax = 67_108_864;

/** Services of completions, whole, streamed or as jobs. */
export type ChatServices = Pick<
  Services,
  'chat' | 'models' | 'structured' | 'clock' | 'ids' | 'fetchMedia'
> & { readonly pages: PageReader };

/** A request whose rules beyond the schema hold. */
interface CheckedChat {
  readonly model: ChatModel;
  readonly check: OutputCheck | null;
  readonly format: OutputFormat;
}

interface OpenedChat {
  readonly head: ChatHead;
  readonly question: ChatQuestion;
}

export function createChatRequests(settings: Settings) {
  const models = chatModelsOf(settings);
  return {
    /** Throws Fault `invalid_value` and `invalid_image` in the words of contract 9.3. Fetches nothing. */
    async check(body: ChatRequest, structured: StructuredChecks, caller: Caller): Promise<CheckedChat> {
      const model = models.get(body.model);
      if (model === undefined) throw new Error('a model that the schema let through is unknown');
      checkTools(body, model);
      const form = await toForm(body.response_format, structured, caller);
      checkTokensMax(body);
      toWebSearchOptions(body);
      checkMessages(body.messages, settings.chat.lenientRoles);
      checkFiles(body.messages);
      return { model, ...form };
    },

    /** Reads the attachments. Throws the same, for files that cannot be read. */
    async open(
      body: ChatRequest,
      checked: CheckedChat,
      services: ChatServices,
      caller: Caller,
    ): Promise<OpenedChat> {
      const { messages } = body;
      checkImages(body, checked.model, services.models);
      const [media, attachments] = await Promise.all([
        fetchRemotes(remoteImagesOf(messages), services.fetchMedia, caller),
        readFiles(messages, services.pages, caller),
      ]);
      const head = toHead(body, checked.model, services, settings.chat.citations);
      const question = toQuestion(body, checked, { media, attachments, accountId: caller.account });
      return { head: { ...head, promptTokens: await promptTokensOf(question, caller.signal) }, question };
    },
  };
}

function checkTools({ tools, tool_choice: choice }: ChatRequest, { profile }: ChatModel): void {
  const names = (tools ?? []).map((tool) => tool.function.name);
  if (names.length > 0 && !profile.callsFunctions)
    throw new Fault('invalid_value', 'Tool calling is not supported for this model', { param: 'tools' });
  const twice = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (twice >= 0) {
    const message = `Two tools are named '${quote(names[twice] ?? '')}'`;
    throw new Fault('invalid_value', message, { param: `tools.${twice}.function.name` });
  }
  if (choice === 'required' && names.length === 0)
    throw new Fault('invalid_value', 'tool_choice required needs tools', { param: 'tool_choice' });
  if (typeof choice !== 'object' || choice === null || names.includes(choice.function.name)) return;
  const message = `No tool is named '${quote(choice.function.name)}'`;
  throw new Fault('invalid_value', message, { param: 'tool_choice.function.name' });
}

function checkTokensMax({ max_tokens: one = null, max_completion_tokens: other = null }: ChatRequest): void {
  if (one === null || other === null || one === other) return;
  const message = 'max_tokens and max_completion_tokens differ, send one of them';
  throw new Fault('invalid_value', message, { param: 'max_tokens' });
}

/** Refuses what the model behind the name cannot see; the default that only quotes says so itself. */
function checkImages({ messages }: ChatRequest, { runsOn }: ChatModel, models: Models): void {
  const capabilities = models.find(runsOn)?.capabilities;
  if (capabilities === undefined || capabilities.images || !capabilities.generates) return;
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== 'user' || typeof content === 'string') continue;
    const index = content.findIndex(({ type }) => type === 'image_url');
    if (index < 0) continue;
    const param = `messages.${at}.content.${index}`;
    throw new Fault('invalid_value', 'This model does not accept images', { param });
  }
}

async function toForm(
  format: ChatRequest['response_format'],
  structured: StructuredChecks,
  caller: Caller,
): Promise<Pick<CheckedChat, 'check' | 'format'>> {
  const text: OutputFormat = { type: 'text' };
  switch (format?.type) {
    case undefined:
    case 'text':
      return { check: null, format: text };
    case 'json_schema': {
      const { name = 'schema', schema, description, strict } = format.json_schema;
      return {
        check: await structured.parseSchema(schema, 'response_format.json_schema.schema', caller),
        format: {
          type: 'json-schema',
          name,
          schema,
          description: description ?? null,
          strict: strict ?? true,
        },
      };
    }
    case 'regex': {
      const param = 'response_format.regex.regex';
      return { check: await structured.parseRegex(format.regex.regex, param, caller), format: text };
    }
  }
}
