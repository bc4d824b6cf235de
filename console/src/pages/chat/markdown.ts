import { splitThinking } from '../../parts/answers/thinking.ts';
import { titleOf, type Conversation } from './kept.ts';

/** A conversation as a file that others can read: questions, answers and their sources. */
export function toMarkdown(conversation: Pick<Conversation, 'name' | 'turns'>): string {
  const parts = conversation.turns.flatMap(({ question, text, sources }) => [
    `## ${question}`,
    splitThinking(text).answer,
    sources.map(({ title, url }, at) => `${at + 1}. [${title === '' ? url : title}](${url})`).join('\n'),
  ]);
  return `${[`# ${titleOf(conversation)}`, ...parts].filter((part) => part !== '').join('\n\n')}\n`;
}
