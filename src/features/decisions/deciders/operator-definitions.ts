import type { Config } from '../../../kernel/config.ts';
import { toConfidences, type Guarantee } from '../policy.ts';
import type { DeciderDefinition, Definitions } from './definition.ts';
import { readGuarantees } from './guarantee-file.ts';

/** What every account may know of the operator's deciders: neither servers nor files. `first` is the first's engine. */
export function definitionsOf({ decisions }: Config, first: string): Definitions {
  const plain = (engine: string | null, steps: Pick<Config['decisions'], 'order' | 'prior' | 'negation'>) => {
    const { order, prior, negation } = steps;
    const none = { calibration: null, cascade: [], abstain: {}, maxError: null, guarantees: [] };
    return { ...none, engine, passes: order.passes, prior, negation };
  };
  const served = decisions.served.map((name) => [name, plain(first, decisions)] as const);
  const compared = decisions.compare.map(({ name, engine }) => [name, plain(engine, decisions)] as const);
  const named = decisions.deciders.map((one): readonly [string, DeciderDefinition] => {
    const cascade = one.cascade.map(({ decider, confidence }) => ({
      decider,
      confidence: toConfidences(confidence),
    }));
    const guarantees = one.guarantees.flatMap(readGuarantees).map(withoutFingerprint);
    const policy = { cascade, abstain: toConfidences(one.abstain), maxError: one.maxError, guarantees };
    return [one.name, { ...plain(one.engine, one), ...policy }];
  });
  return new Map([...served, ...compared, ...named]);
}

/** It names the models behind the operator's servers. */
function withoutFingerprint(guarantee: Guarantee): Guarantee {
  const { fingerprint: _fingerprint, ...rest } = guarantee;
  return rest;
}
