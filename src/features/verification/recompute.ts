import { hash } from 'node:crypto';
import { Value } from 'typebox/value';
import { ExampleError } from '../../kernel/commands/exit-codes.ts';
import { runAtOnce } from '../../kernel/kit/slices.ts';
import { changesIn, fingerprintOf, type DecisionEngine } from '../decisions/feature.ts';
import { readSentence } from './judge.ts';
import { createRarity, readPassage, type ReadPassage } from './passages.ts';
import { hasOwnDigest } from './receipt-digest.ts';
import { Receipt } from './receipt-schema.ts';
import { placeOf, rulesVersion } from './receipt.ts';
import { askDecider, toJudged } from './verifier.ts';

/** What is not as it was when the receipt was made. */
export interface Difference {
  readonly what: string;
}

/** Throws ExampleError for what is no receipt. */
export function parseReceipt(text: string): Receipt {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ExampleError('the receipt is no JSON');
  }
  if (!Value.Check(Receipt, value)) throw new ExampleError('this is no receipt');
  return value;
}

/** Judges everything again. Empty where all is the same, to the last bit. */
export async function recompute(
  receipt: Receipt,
  open: (engine: string) => Promise<DecisionEngine>,
  signal: AbortSignal,
): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  const differ = (what: string) => void differences.push({ what });
  if (!hasOwnDigest(receipt)) differ('the receipt was changed after it was made');
  for (const { source, sha256, text } of receipt.passages)
    if (hash('sha256', text) !== sha256) differ(`the passage of source ${source} was changed`);
  if (receipt.rules !== rulesVersion) {
    differ(`it was made by rules ${receipt.rules}, and this version has rules ${rulesVersion}`);
    return differences;
  }
  const { decider } = receipt;
  const engine = decider === null ? null : await open(decider.name);
  try {
    if (decider !== null && engine !== null)
      for (const part of changesIn(decider.fingerprint, await fingerprintOf(engine)))
        differ(`the decider ${decider.name} has another ${part}`);
    const passages = receipt.passages.map(({ source: id, url, title, text }) =>
      runAtOnce(readPassage({ id, url, title, text })),
    );
    for (const [at, sentence] of receipt.sentences.entries()) {
      const again = await judgeAgain(sentence, passages, engine, signal);
      for (const name of Object.keys(again) as (keyof typeof again)[])
        if (JSON.stringify(again[name]) !== JSON.stringify(sentence[name]))
          differ(
            `sentence ${at + 1}: ${name} is ${JSON.stringify(again[name])} and was ${JSON.stringify(sentence[name])}`,
          );
    }
  } finally {
    await engine?.close();
  }
  return differences;
}

async function judgeAgain(
  { text, citations, passages: own, decided }: Receipt['sentences'][number],
  passages: readonly ReadPassage[],
  engine: DecisionEngine | null,
  signal: AbortSignal,
) {
  const cited = own.flatMap((at) => passages[at] ?? []);
  const reading = readSentence(text, cited, () => createRarity(cited));
  if (reading === null) return { supported: null };
  const answer =
    decided === null || engine === null ? null : await askDecider(engine, reading, { signal, account: '' });
  const judged = toJudged({ text, citations }, reading, answer);
  return {
    supported: judged.isSupported,
    probability: judged.probability,
    quoted: judged.isQuote,
    decided: judged.decided,
    reasons: judged.reasons,
    place: placeOf(judged, passages),
  };
}
