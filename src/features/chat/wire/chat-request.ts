import { servedModel } from '../../../kernel/http/model-name.ts';
import type { ChatQuestion } from '../question.ts';
import { invalidValue } from '../../../kernel/faults.ts';
import type { Caller } from '../../../kernel/kit/caller.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { OutputFormat, Models, StructuredChecks } from '../../models/feature.ts';
import { fetchRemotes, tokensMaxOf, toSchemaFormat, toToolChoice } from '../../models/feature.ts';
import type { PageReader } from '../../search/feature.ts';
import { checkFiles, readFiles, remoteImagesOf } from './chat-files.ts';
import { chatModelsOf, type ChatModel } from './chat-models.ts';
import { promptTokensOf, toHead, toQuestion, type CheckedChat } from './chat-question.ts';
import type { ChatHead } from './chat-record.ts';
import type { ChatRequest } from './chat-schema.ts';
import { toWebSearchOptions } from './chat-search.ts';
import { checkMessages } from './chat-turns.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';

/** A body of exactly this many bytes is refused. */
export const chatBytesMax = 67_108_864;

export type ChatServices = Pick<
  Services,
  'chat' | 'models' | 'structured' | 'clock' | 'ids' | 'fetchMedia'
> & { readonly pages: PageReader };

export function createChatRequests(settings: Settings) {
  const models = chatModelsOf(settings);
  return {
    /** Throws Fault `invalid_value` and `invalid_image` in the words of contract 9.3. Fetches nothing. */
    async check(
      body: ChatRequest,
      { models: served, structured }: Pick<ChatServices, 'models' | 'structured'>,
      caller: Caller,
    ): Promise<CheckedChat> {
      const model = servedModel(models, body.model);
      checkTools(body, model);
      const form = await toForm(body.response_format, structured, caller);
      tokensMaxOf(body);
      toWebSearchOptions(body);
      checkMessages(body.messages, settings.chat.lenientRoles);
      checkFiles(body.messages);
      checkImages(body, model, served);
      return { model, ...form };
    },

    /** Reads the attachments. Throws the same, for files that cannot be read. */
    async open(
      body: ChatRequest,
      checked: CheckedChat,
      services: ChatServices,
      caller: Caller,
    ): Promise<{ readonly head: ChatHead; readonly question: ChatQuestion }> {
      const { messages } = body;
      const [media, attachments] = await Promise.all([
        fetchRemotes(remoteImagesOf(messages), services.fetchMedia, caller),
        readFiles(messages, services.pages, caller),
      ]);
      const head = toHead(body, checked.model, services, settings.chat.citations);
      const attached = { attachments, accountId: caller.account };
      const question = toQuestion(body, checked, media, attached);
      return { head: { ...head, promptTokens: await promptTokensOf(question, caller.signal) }, question };
    },
  };
}

function checkTools({ tools, tool_choice: choice }: ChatRequest, { profile }: ChatModel): void {
  const functions = (tools ?? []).map((tool) => tool.function);
  if (functions.length > 0 && !profile.callsFunctions)
    throw invalidValue('Tool calling is not supported for this model', 'tools');
  const names = functions.map(({ name }) => name);
  const twice = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (twice >= 0)
    throw invalidValue(`Two tools are named '${quote(names[twice] ?? '')}'`, `tools.${twice}.function.name`);
  toToolChoice(choice ?? 'auto', functions);
}

/** Refuses what the model behind the name cannot see; the default that only quotes says so itself. */
function checkImages({ messages }: ChatRequest, { runsOn }: ChatModel, models: Models): void {
  const capabilities = models.find(runsOn)?.capabilities;
  if (capabilities === undefined || capabilities.images || !capabilities.generates) return;
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== 'user' || typeof content === 'string') continue;
    const index = content.findIndex(({ type }) => type === 'image_url');
    if (index < 0) continue;
    throw invalidValue('This model does not accept images', `messages.${at}.content.${index}`);
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
      const { json_schema: asked } = format;
      const param = 'response_format.json_schema.schema';
      return {
        check: await structured.parseSchema(asked.schema, param, caller),
        format: toSchemaFormat(asked),
      };
    }
    case 'regex': {
      const param = 'response_format.regex.regex';
      return { check: await structured.parseRegex(format.regex.regex, param, caller), format: text };
    }
  }
}
