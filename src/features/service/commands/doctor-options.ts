import { parseCommandLine, takeWords } from '../../../kernel/commands/command-line.ts';

export const usage = `nestor doctor: what works on this machine, what does not, and what to do about it

  nestor doctor                           look at everything
  nestor doctor --json                    the same for a program
  nestor doctor --url https://nestor.example --key …   look at a server elsewhere too

It needs no server. It looks at the runtime, the configuration, the data folder and its disk, the store (a write is
tried and taken back), the port, the decision engine (one question is asked), the models, the search, the network (the
servers that the configuration names are connected to), the sandbox, and at the server that runs on this configuration,
if one does. Nothing is changed.

  --json                print one JSON value in place of lines
  --config FILE         configuration to read in place of NESTOR_CONFIG
  --url URL             a server that has to be there, in place of NESTOR_URL
  --key KEY             your key on it, in place of NESTOR_KEY or NESTOR_ROOT_KEY

Exit codes: 0 nothing failed, 1 something failed, 2 wrong command, 130 interrupted.
See docs/guide/operations.md.`;

const options = {
  help: { type: 'boolean', short: 'h', default: false },
  json: { type: 'boolean', default: false },
  config: { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
} as const;

/** Throws UsageError. */
export function parseDoctor(argv: readonly string[]) {
  const { values, words } = parseCommandLine(argv, options);
  takeWords(words, []);
  return values;
}
