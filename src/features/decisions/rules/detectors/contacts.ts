import { isIPv6 } from 'node:net';
import { anyOf, byForm } from './detector.ts';
import { passesLuhn } from './cards.ts';

const written = byForm(
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu,
  0.99,
  0.99,
);
/** "name at example dot com", which keeps machines from reading it. */
const spelled = byForm(
  /(?<![\p{L}\p{N}._-])[\p{L}\p{N}._-]{1,64} ?[[(]at[\])] ?[\p{L}\p{N}-]{1,63}(?: ?[[(]dot[\])] ?|\.)\p{L}{2,24}/giu,
  0.9,
);
export const emails = anyOf(written, spelled);

const addresses = byForm(
  /\b(?:https?|ftp):\/\/[^\s<>"']{3,}|\bwww\.[\p{L}\p{N}-]{1,63}\.[^\s<>"']{2,}/giu,
  0.99,
);
const domains = byForm(
  /(?<![\p{L}\p{N}@._/-])(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|dev|app|edu|gov|info|co\.uk|de|fr|eu)(?:\/[^\s<>"']*)?(?![\p{L}\p{N}@-])/giu,
  (found) => (found.includes('/') ? 0.98 : 0.9),
);
/** A path behind it makes a link of any name; without one, the last part has to be known for nothing else. */
const otherDomains = byForm(
  /(?<![\p{L}\p{N}@._/-])(?:[a-z0-9-]{2,63}\.){1,4}(?:[a-z]{2,12}\/[a-z0-9][^\s<>"']*|(?:shop|store|online|site|xyz|top|club|biz|live|icu|blog|ru|uk|it|es|nl|pl|ch|at|be|se|ca|us|me)(?![\p{L}\p{N}@./-]|\s+[a-z]))/giu,
  0.9,
);
export const links = anyOf(addresses, domains, otherDomains);

export const ipv4Addresses = byForm(
  /(?<![\p{L}\p{N}.])(?:\d{1,3}\.){3}\d{1,3}(?![\p{L}\p{N}]|\.\d)/gu,
  (found, before) => {
    if (!found.split('.').every((part) => Number(part) < 256)) return 0;
    return /\b(?:version|release|v)\.? ?$/i.test(before) ? 0 : 0.95;
  },
);

/** Without a digit it is rather a name of a program: "a::b". */
export const ipv6Addresses = byForm(
  /(?<![\p{L}\p{N}:.])(?:[\da-f]{1,4})?(?::[\da-f]{0,4}){2,7}(?![\p{L}\p{N}:])/giu,
  (found) => (isIPv6(found) && /\d/.test(found) ? 0.95 : 0),
);

/** Words after which a number is something else. */
const otherNumber =
  /\b(?:order|invoice|ticket|case|reference|ref|id|tracking|account|card|iban|serial|booking|customer|policy)(?: (?:number|no|nr|id|code|is))*[ .:#]*$/i;
const phoneCue = /(?:phone|tel|call|mobile|cell|reach|ring|fax|whatsapp|text|dial|sms|contact)[^\d]{0,20}$/i;
const dateForm = /^(?:\d{4}[-/. ]\d{1,2}[-/. ]\d{1,2}|\d{1,2}[-/. ]\d{1,2}[-/. ]\d{2,4})/;

export const phones = byForm(
  /(?<![\p{L}\p{N}.,/$€£-])(?:\+|\()?\d[\d ()./-]{4,22}\d(?![\p{L}\p{N}%€$£])/gu,
  judgePhone,
  0.96,
);

function judgePhone(found: string, before: string): number {
  const digits = found.replaceAll(/\D/g, '');
  if (digits.length < 7 || digits.length > 15) return 0;
  if (found.startsWith('+')) return digits.length >= 8 ? 0.99 : 0.7;
  if (dateForm.test(found) || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(found)) return 0;
  if (phoneCue.test(before)) return 0.98;
  if (otherNumber.test(before)) return 0;
  if (digits.length >= 13 && passesLuhn(digits)) return 0;
  if (
    /^\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}$/.test(found) ||
    /^1[ .-]?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}$/.test(found)
  )
    return 0.97;
  if (digits.startsWith('0') && digits.length >= 9) return /[ ()/-]/.test(found) ? 0.95 : 0.8;
  if (/^\d{3}[ .-]\d{4}$/.test(found)) return 0.8;
  return digits.length === 10 && /^\d+$/.test(found) ? 0.55 : 0;
}
