import { Type, type Static } from 'typebox';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { toIgnoredHeader } from '../../../../kernel/http/headers.ts';
import {
  accountOf,
  defineOperation,
  ok,
  type Bucket,
  type Operation,
} from '../../../../kernel/http/operation.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import { AnyObject, Count, Nullable, Open } from '../../../../kernel/kit/schema.ts';
import { conversationBytesMax } from '../../../models/feature.ts';
import { firstRequest } from '../../loop.ts';
import { prepareRun } from '../prepare.ts';
import { toRun } from './begin.ts';
import { conversationOf } from './conversations.ts';
import { openFiles } from './file-search.ts';
import { onOpenAi } from './lifecycle.ts';
import { itemReader, readRequest } from './request.ts';
import { OpenAiResponseRequest } from './schema.ts';

const { generate: _, ...fields } = OpenAiResponseRequest.properties;
const CountRequest = Open(
  {
    ...fields,
    input: Nullable(Type.Union([Type.String(), Type.Array(AnyObject)]), {
      errorMessage: 'input must be a string or an array of items',
    }),
  },
  { input: 'As of a response. It may be left out where `instructions` are to be counted.' },
);
type CountRequest = Static<typeof CountRequest>;

const CountResponse = Open(
  { object: Type.Literal('response.input_tokens'), input_tokens: Count },
  { input_tokens: 'By the tokenizer of the model where its server tells, else an estimate by words.' },
);

/** `POST /openai/v1/responses/input_tokens`: the tokens of what a response with the same body asks its model first. */
export function countOperation(settings: Settings, buckets: readonly Bucket[]): Operation<Services> {
  return defineOperation({
    ...onOpenAi,
    id: 'countOpenAiInputTokens',
    summary: 'Counts the tokens of an input without answering it',
    method: 'POST',
    paths: ['/openai/v1/responses/input_tokens'],
    buckets,
    body: { schema: CountRequest, bytesMax: conversationBytesMax },
    responses: { 200: CountResponse },
    async handle({ body, principal, signal }, services: Services) {
      const accountId = accountOf(principal);
      const read = readRequest(toResponseRequest(body), settings.tools, services);
      const { request, calls, ignored, files } = read;
      const unknown: string[] = [];
      const prepared = await prepareRun(request, {
        settings,
        services,
        accountId,
        signal,
        asksModel: request.input.length > 0 || !hasInstructions(body),
        answersSystem: true,
        before: await itemsBefore(body, accountId, services),
        toItems: itemReader(settings.tools, unknown),
      });
      const run = toRun(prepared.run, read, files && (await openFiles(files, calls, services, accountId)));
      const { models } = services;
      const input_tokens = await models.countTokens(run.names[0] ?? '', firstRequest(run, models), signal);
      // Servers are asked for their tools by a run alone, which would refuse those that may not be asked.
      for (const server of read.servers) void services.mcpServers.connect(server).close();
      const uncounted = read.servers.map(({ param }) => `${param}.mcp`);
      return ok(
        { object: 'response.input_tokens', input_tokens },
        toIgnoredHeader([...ignored, ...unknown, ...uncounted]),
      );
    },
  });
}

const hasInstructions = ({ instructions }: CountRequest): boolean => (instructions ?? '') !== '';

function toResponseRequest({ input, ...body }: CountRequest): OpenAiResponseRequest {
  if (input !== undefined && input !== null) return { ...body, input };
  return hasInstructions(body) ? { ...body, input: [] } : body;
}

/** The items of the conversation that the input goes on with. */
async function itemsBefore(
  body: CountRequest,
  accountId: string,
  { conversations }: Pick<Services, 'conversations'>,
): Promise<readonly Json[]> {
  const id = conversationOf(body);
  if (id === null) return [];
  await conversations.get(accountId, id);
  return (await conversations.listAll(id)).map((item) => JSON.parse(item) as Json);
}
