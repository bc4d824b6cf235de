import { commandsOf, type Command } from '../../../kernel/commands/command.ts';

export const commands: readonly Command[] = commandsOf('Ask a server', {
  decide: {
    summary: 'questions about a text or a table, answered with probabilities',
    load: async () => (await import('./decide.ts')).runDecide,
  },
  deciders: {
    summary: 'engines with names and policies: list, show, set, remove',
    load: async () => (await import('./deciders.ts')).runDeciders,
  },
  ask: {
    summary: 'an answer from searched pages, with its sources',
    load: async () => (await import('./ask.ts')).runAsk,
  },
  research: {
    summary: 'a thorough report, written in the background',
    load: async () => (await import('./research.ts')).runResearch,
  },
  search: {
    summary: 'pages of the web and of the own index',
    load: async () => (await import('./search.ts')).runSearch,
  },
  skills: {
    summary: 'skills of the agent: list, add, update, remove, get',
    load: async () => (await import('./skills.ts')).runSkills,
  },
});

/** The form of `eval` that asks a server for answers with sources; `eval` itself asks an engine of decisions. */
export const answersForm = {
  of: 'eval',
  option: 'answers',
  load: async () => (await import('./eval-answers.ts')).runEvalAnswers,
} as const;
