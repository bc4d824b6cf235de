import type { Json } from '../../../../kernel/kit/json.ts';
import type { OutboundOutcome } from '../../../../kernel/kit/outbound-request.ts';
import type { Candidate } from './labels.ts';
import { fromChat } from './response.ts';

/** Enough for 255 labels among other words. */
const topMost = 320;
/** The cap of OpenAI, of Ollama and of vLLM unless its operator changed it. */
const topUsual = 20;
/** At least two are needed for a comparison. */
const topLeast = 2;

interface Cap {
  readonly cap: number;
  /** Tokens listed at the cap. */
  readonly candidates: readonly Candidate[];
}

const statedCap =
  /(?:<=|max allowed:|less than or equal to|between 0 and|at most|maximum(?: value)?(?: is| of)?:?)\s*(\d{1,5})/iu;

/**
 * Finds the largest `top_logprobs` that a server takes: the usual one first, then the most that is of use, then
 * what the refusal names, then by halving. A server that takes a number and lists fewer has that as its cap. Null
 * when even two are refused or nothing is listed.
 */
export async function findCap(
  ask: (top: number) => Promise<OutboundOutcome>,
  read: (body: Json) => readonly Candidate[] = fromChat,
): Promise<Cap | null> {
  const at = async (top: number): Promise<Cap | null> => {
    const outcome = await ask(top);
    const candidates = outcome.ok ? read(outcome.body) : [];
    return candidates.length < topLeast ? null : { cap: Math.min(top, candidates.length), candidates };
  };
  const usual = await ask(topUsual);
  if (usual.ok && read(usual.body).length < topLeast) return null;
  const most = usual.ok ? await ask(topMost) : usual;
  if (most.ok) {
    const candidates = read(most.body);
    return { cap: Math.min(topMost, candidates.length), candidates };
  }
  const stated = Number(statedCap.exec(JSON.stringify(most.body))?.[1] ?? 0);
  const named = stated >= topLeast && stated < topMost ? await at(stated) : null;
  if (named !== null) return named;
  return halve(at, usual.ok ? topUsual : topLeast, usual.ok ? topMost : topUsual);
}

/** `low` is tried first; `high` is known to be refused. */
async function halve(
  at: (top: number) => Promise<Cap | null>,
  low: number,
  high: number,
): Promise<Cap | null> {
  let best = await at(low);
  if (best === null) return null;
  let [works, refused] = [low, high];
  while (refused - works > 1) {
    const middle = Math.floor((works + refused) / 2);
    const found = await at(middle);
    if (found === null) refused = middle;
    else [works, best] = [middle, found];
  }
  return best;
}
