import { commandsOf, type Command } from '../../../kernel/commands/command.ts';

export const commands: readonly Command[] = commandsOf('What it answers with', {
  eval: {
    summary: "how good an engine's answers are",
    load: async () => (await import('./eval.ts')).runEval,
  },
  calibrate: {
    summary: "fit an engine's probabilities to known answers",
    load: async () => (await import('./calibrate.ts')).runCalibrate,
  },
  guarantee: {
    summary: 'from which confidence on answers keep to a bound on their errors',
    load: async () => (await import('./guarantee.ts')).runGuarantee,
  },
  learn: {
    summary: 'learn from examples what an engine does not know of your questions',
    load: async () => (await import('./learn.ts')).runLearn,
  },
});
