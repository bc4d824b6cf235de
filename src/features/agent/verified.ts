import type { Caller } from '../../kernel/kit/caller.ts';
import { toAnswerSentences, type AnswerSentence, type RunVerification } from '../verification/feature.ts';
import type { AgentEvent, Citation } from './events.ts';
import type { CitationIndex } from './citation-index.ts';
import { SentenceHold } from './sentence-hold.ts';

type Batches = AsyncIterable<readonly AgentEvent[]>;

/**
 * Judges the sentences of a run against the passages that they cite. With `mark` all events pass as they come, and the
 * judgement stands before the end. With `remove` text is held until its sentences are judged, and those that nothing
 * supports are left out.
 */
export async function* verified(
  batches: Batches,
  { mode, begin, end }: RunVerification,
  { account, signal }: Caller,
  sources: CitationIndex,
): AsyncGenerator<readonly AgentEvent[]> {
  const verification = begin(account, signal);
  const passagesOf = (id: number) => sources.passages(id);
  const cites = () => sources.all().length > 0;
  const hold =
    mode === 'remove' ? new SentenceHold((one) => verification.judge(one, passagesOf), cites) : null;
  for await (const batch of batches) {
    const out: AgentEvent[] = [];
    for (const event of batch) {
      if (hold === null && event.type === 'message-end')
        await verification.judge(citing(event.text, event.citations), passagesOf);
      if (event.type === 'end' && verification.sentences.length > 0)
        out.push({ type: 'verification', verification: await end(verification, account) });
      if (hold === null) out.push(event);
      else out.push(...(await hold.read(event)));
    }
    if (out.length > 0) yield out;
  }
}

/** Nothing where the text has no markers: JSON, and answers without sources. */
function citing(text: string, citations: readonly Citation[]): readonly AnswerSentence[] {
  return citations.length === 0 ? [] : toAnswerSentences(text);
}
