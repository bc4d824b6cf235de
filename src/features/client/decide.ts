import { isJsonObject, type Json, type JsonObject } from '../../kernel/kit/json.ts';
import { ApiError, type PublishedApi } from './api.ts';
import { at, numberAt, textAt } from '../../kernel/kit/json-path.ts';

/** One answer with its probabilities in the order of the options. */
export type Verdict =
  | { readonly type: 'noul'; readonly probability: number }
  | ({ readonly type: 'choice'; readonly choice: string } & Spread)
  /** 0 to the number of levels less one. */
  | ({ readonly type: 'score'; readonly score: number } & Spread);

interface Spread {
  readonly confidence: number;
  readonly probabilities: readonly Share[];
}

export interface Share {
  readonly name: string;
  readonly probability: number;
}

const timeoutMs = 120_000;

/** Asks questions about a state. `questions`, `state` and `reply` are as on the wire. Throws ApiError. */
export async function decide(
  api: PublishedApi,
  json: { readonly model: string; readonly state: Json; readonly questions: JsonObject },
  signal: AbortSignal,
): Promise<{ readonly verdicts: ReadonlyMap<string, Verdict>; readonly reply: Json }> {
  const reply = await api.call({ method: 'POST', path: '/v1/decisions', json, timeoutMs, signal });
  const answers = at(reply, 'answers');
  const verdicts = new Map<string, Verdict>();
  // In the order of the questions: that of an object moves names such as "10" to the front.
  for (const name of Object.keys(json.questions)) verdicts.set(name, toVerdict(name, at(answers, name)));
  return { verdicts, reply };
}

function toVerdict(name: string, answer: Json | undefined): Verdict {
  const shares = toShares(answer);
  const confidence = numberAt(answer, 'confidence') ?? 0;
  switch (textAt(answer, 'type')) {
    case 'choice':
      return { type: 'choice', choice: textAt(answer, 'choice') ?? '', confidence, probabilities: shares };
    case 'score': {
      const levels = shares.map(({ name, probability }) => {
        const level = at(answer, 'legend', name) ?? name;
        return { name: typeof level === 'string' ? level : JSON.stringify(level), probability };
      });
      return { type: 'score', score: numberAt(answer, 'score') ?? 0, confidence, probabilities: levels };
    }
    default: {
      const probability = numberAt(answer, 'noul');
      if (probability === null) throw new ApiError(`The server gave no answer to "${name}".`);
      return { type: 'noul', probability };
    }
  }
}

function toShares(answer: Json | undefined): readonly Share[] {
  const probabilities = at(answer, 'probabilities');
  if (!isJsonObject(probabilities)) return [];
  return Object.entries(probabilities).map(([name, share]) => ({
    name,
    probability: typeof share === 'number' ? share : 0,
  }));
}
