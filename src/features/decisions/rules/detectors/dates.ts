import { anyOf, byForm } from './detector.ts';

const numeric = byForm(
  /(?<![\p{L}\p{N}.,/-])(?:\d{4}-\d{1,2}-\d{1,2}|\d{4}\/\d{1,2}\/\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2}))(?![\p{N}/-]|\.\d)/gu,
  (found) => {
    const parts = found.split(/[./-]/).map(Number);
    const [first = 0, second = 0, third = 0] = parts;
    const [day, month] = first > 31 ? [third, second] : [first, second];
    const fits = Math.min(day, month) <= 12 && Math.max(day, month) <= 31 && Math.min(day, month) > 0;
    return fits ? (/\d{4}/.test(found) ? 0.99 : 0.85) : 0;
  },
);
const named = byForm(
  /(?<![\p{L}\p{N}])(?:\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)|(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.? \d{1,2}(?:st|nd|rd|th)?)(?![\p{L}\p{N}])(?:,? \d{4}(?!\p{N}))?/giu,
  0.98,
);
const monthOfYear = byForm(
  /(?<!\p{L})(?:january|february|march|april|may|june|july|august|september|october|november|december),? (?:of )?\d{4}(?!\p{N})/giu,
  0.9,
);
/** "on the 12th" */
const dayOfMonth = byForm(
  /(?<!\p{L})(?:on|by|till|until|from|before|after|since) (?:the )?\d{1,2}(?:st|nd|rd|th)(?![\p{L}\p{N}])(?! (?:floor|street|st|avenue|ave|century|place|birthday|anniversary))/giu,
  0.8,
);
/** Whether these are dates is a matter of taste. */
const relative = byForm(
  /(?<![\p{L}\p{N}])(?:(?:today|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?![\p{L}\p{N}])|(?:19|20)\d\d(?![\p{L}\p{N}.,-]))/giu,
  0.5,
);

export const dates = anyOf(numeric, named, monthOfYear, dayOfMonth, relative);
