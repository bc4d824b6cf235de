import { splitThinking } from '../../parts/answers/thinking.ts';
import { takesEffort } from '../../parts/answers/chat-models.ts';

/** What the forms hold: texts as they were typed, '' where nothing was chosen. */
export interface ChatSettings {
  readonly model: string;
  readonly instructions: string;
  readonly searches: boolean;
  readonly mode: string;
  readonly rounds: string;
  readonly contextSize: string;
  readonly domains: string;
  readonly languages: string;
  readonly recency: string;
  readonly effort: string;
  readonly related: boolean;
}

export const firstSettings: ChatSettings = {
  model: '',
  instructions: '',
  searches: true,
  mode: '',
  rounds: '',
  contextSize: '',
  domains: '',
  languages: '',
  recency: '',
  effort: '',
  related: false,
};

export interface SaidMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** A question and its answer so far. */
export interface Exchange {
  readonly question: string;
  readonly text: string;
}

/** The body of a request, without what makes it a stream. Fields that say nothing are left out. */
export function toChatRequest(
  settings: ChatSettings,
  before: readonly Exchange[],
  question: string,
): Readonly<Record<string, unknown>> {
  const { model, instructions, searches, related, effort } = settings;
  const body: Record<string, unknown> = { model, messages: toMessages(instructions, before, question) };
  if (searches) addSearch(settings, body);
  else body['disable_search'] = true;
  if (effort !== '' && takesEffort(model)) body['reasoning_effort'] = effort;
  if (related) body['return_related_questions'] = true;
  return body;
}

/** Roles have to alternate, so a question that was not answered is left out. */
function toMessages(
  instructions: string,
  before: readonly Exchange[],
  question: string,
): readonly SaidMessage[] {
  const said = before.flatMap<SaidMessage>(({ question: asked, text }) => {
    const { answer } = splitThinking(text);
    if (answer === '') return [];
    return [
      { role: 'user', content: asked },
      { role: 'assistant', content: answer },
    ];
  });
  const system: readonly SaidMessage[] =
    instructions.trim() === '' ? [] : [{ role: 'system', content: instructions.trim() }];
  return [...system, ...said, { role: 'user', content: question }];
}

function addSearch(settings: ChatSettings, body: Record<string, unknown>): void {
  const { mode, rounds, contextSize, domains, languages, recency } = settings;
  if (mode !== '') body['search_mode'] = mode;
  const options = {
    ...(rounds === '' ? {} : { search_type: rounds }),
    ...(contextSize === '' ? {} : { search_context_size: contextSize }),
  };
  if (Object.keys(options).length > 0) body['web_search_options'] = options;
  if (toList(domains).length > 0) body['search_domain_filter'] = toList(domains);
  if (toList(languages).length > 0) body['search_language_filter'] = toList(languages);
  if (recency !== '') body['search_recency_filter'] = recency;
}

/** Words between commas or spaces. */
export function toList(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}
