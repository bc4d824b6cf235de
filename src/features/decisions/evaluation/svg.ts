/** Mid tones with enough contrast on white and on black; a viewer with a colour scheme gets its own. */
export const frameStyle = `text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #6e7681; }
.title { font-size: 18px; font-weight: 600; }
.axis { font-size: 13px; }
.grid { stroke: #808890; stroke-opacity: 0.25; }
.frame { stroke: #808890; fill: none; }
@media (prefers-color-scheme: dark) { text { fill: #c3cad3; } .title { fill: #f0f3f6; } }
@media (prefers-color-scheme: light) { text { fill: #4b535d; } .title { fill: #1f2328; } }`;

/** Characters that XML 1.0 cannot hold at all are left out. */
export function escapeXml(text: string): string {
  return [...text.toWellFormed()]
    .filter((character) => /[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(character))
    .join('')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${[...text].slice(0, length - 1).join('')}…`;
}

/** To a hundredth of a pixel. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
