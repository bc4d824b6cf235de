import { anyOf, byForm } from './detector.ts';

/** Forms that issuers chose so that they can be found. */
const issued = byForm(
  /(?<![\p{L}\p{N}_-])(?:sk-[\w-]{16,200}|[sr]k_(?:live|test)_\w{16,200}|gh[pousr]_\w{30,255}|github_pat_\w{30,255}|glpat-[\w-]{16,64}|xox[abprs]-[\w-]{10,200}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{35}|hf_\w{30,64}|npm_\w{30,64})(?![\p{L}\p{N}])/gu,
  0.99,
);
/** JSON Web Tokens: three parts, the first of which begins with `{"`. */
const webTokens = byForm(
  /(?<![\p{L}\p{N}_-])eyJ[\w-]{10,2000}\.[\w-]{10,4000}\.[\w-]{10,1000}(?![\p{L}\p{N}])/gu,
  0.99,
);
const privateKeys = byForm(/-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY-----/g, 0.99);

/** `api_key = …`, `"password": "…"`, `Authorization: Bearer …`: a name, and something after it that is no word. */
const assigned = byForm(
  /(?:api[ _-]?key|secret(?:[ _-]?key)?|access[ _-]?(?:key|token)|auth[ _-]?token|password|passwd|pwd|token)["']? {0,3}(?:[:=]|is) {0,3}["']?[^\s"',;]{8,200}|\bbearer [\w.~+/-]{16,400}/giu,
  (found) => (/\d/.test(found) && !/[:=] {0,3}["']?\*+/.test(found) ? 0.93 : 0),
);

/** A password before the host of an address. */
const inAddresses = byForm(/:\/\/[^\s:/@]{1,100}:[^\s:/@]{3,200}@[\p{L}\p{N}]/gu, 0.97);

export const secrets = anyOf(issued, webTokens, privateKeys, assigned, inAddresses);
