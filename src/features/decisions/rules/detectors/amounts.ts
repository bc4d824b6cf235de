import { anyOf, byForm } from './detector.ts';

const before = byForm(
  /(?:[$€£¥₹]|(?<![\p{L}\p{N}])(?:usd|eur|gbp|chf|jpy|cad|aud|inr))[  ]?\d[\d.,]{0,20}/giu,
  0.99,
);
const after = byForm(
  /(?<![\p{L}\p{N}])\d[\d.,]{0,20}[kKmM]?[  ]?(?:[$€£¥₹]|(?:usd|eur|gbp|chf|jpy|cad|aud|inr|dollars?|euros?|pounds? sterling|francs?|yen|rupees?|cents?|bucks|quid)(?![\p{L}\p{N}]))/giu,
  0.98,
);
/** Also a weight in Britain and America. */
const pounds = byForm(/(?<![\p{L}\p{N}])\d[\d.,]{0,20} pounds(?![\p{L}\p{N}])/giu, 0.6);
const spelled = byForm(
  /(?<![\p{L}\p{N}])(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million) (?:dollars?|euros?|cents?|bucks|quid)(?![\p{L}\p{N}])/giu,
  0.97,
);

/** Amounts of money with their currency. */
export const amounts = anyOf(before, after, pounds, spelled);
