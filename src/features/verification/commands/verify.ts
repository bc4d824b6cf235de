import { resolve } from 'node:path';
import { exitCodes, readNamedFile, UsageError } from '../../../kernel/commands/exit-codes.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { configOption, defineCommand } from '../../../kernel/commands/run-command.ts';
import { parseReceipt, recompute, type Difference } from '../recompute.ts';
import type { Receipt } from '../receipt-schema.ts';

const usage = `nestor verify RECEIPT: recompute how an answer was verified, without a server and without a network

  nestor verify receipt.json        what GET /v1/receipts/{receipt_id} answered
  nestor verify - < receipt.json

Every passage is compared with its digest, every sentence is judged again, and the decider is asked again where it was
asked: judgements and probabilities have to be the same, to the last bit.

  --json                print one JSON value in place of words
  --config FILE         configuration to read in place of NESTOR_CONFIG

Exit codes: 0 the same, 1 something differs or the file was changed, 2 wrong command or configuration.
See docs/guide/verification.md.`;

type VerifyContext = Pick<CommandContext, 'cwd' | 'load' | 'open' | 'out' | 'err' | 'signal'>;

export const runVerify = defineCommand(
  { name: 'verify', usage, options: { ...configOption } },
  async (line, context: VerifyContext) => {
    const { values, words } = line;
    const { cwd, load, open, out, signal } = context;
    const [file, ...more] = words;
    if (file === undefined || more.length > 0) throw new UsageError('One receipt is to be named.');
    const receipt = parseReceipt(readNamedFile(file === '-' ? 0 : resolve(cwd, file), file).toString('utf8'));
    const openEngine = async (name: string) =>
      open({ config: await load(values.config), engine: name, remote: null, onLabelMass: () => {} });
    const differences = await recompute(receipt, openEngine, signal);
    const isSame = differences.length === 0;
    const told = { id: receipt.id, same: isSame, sentences: receipt.sentences.length, differences };
    printResult(out, told, toText(receipt, differences), values.json);
    return isSame ? exitCodes.done : exitCodes.failed;
  },
);

function toText({ id, sentences, decider }: Receipt, differences: readonly Difference[]): string {
  if (differences.length > 0)
    return [`${id} is not what was judged:`, ...differences.map(({ what }) => `  ${what}`)].join('\n');
  const unsupported = sentences.filter(({ supported }) => !supported).length;
  const by = decider === null ? 'by the words of the sources' : `with the decider ${decider.name}`;
  return `${id}: the same, ${sentences.length} sentences ${by}, ${unsupported} unsupported`;
}
