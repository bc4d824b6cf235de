/** Mid tones with enough contrast on white and on black; a viewer with a colour scheme gets its own. */
const frameStyle = `text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #6e7681; }
.title { font-size: 18px; font-weight: 600; }
.axis { font-size: 13px; }
.grid { stroke: #808890; stroke-opacity: 0.25; }
.frame { stroke: #808890; fill: none; }
@media (prefers-color-scheme: dark) { text { fill: #c3cad3; } .title { fill: #f0f3f6; } }
@media (prefers-color-scheme: light) { text { fill: #4b535d; } .title { fill: #1f2328; } }`;

const width = 640;
/** Words begin there too. */
export const plotLeft = 78;

/** A drawing with a title, whose subject and summary stand below it and are read aloud. `style` beside that of the frame. */
export function toSvg({ title, subject, summary, height, style }: Frame, shapes: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${escapeXml(`${subject}: ${summary}`)}</desc>`,
    `<style>\n${frameStyle}\n${style}\n</style>`,
    `<text class="title" x="${plotLeft}" y="34">${escapeXml(title)}</text>`,
    `<text x="${plotLeft}" y="54">${escapeXml(cut(subject))}</text>`,
    `<text x="${plotLeft}" y="72">${escapeXml(summary)}</text>`,
    ...shapes,
    '</svg>',
    '',
  ].join('\n');
}

interface Frame {
  readonly title: string;
  readonly subject: string;
  readonly summary: string;
  readonly height: number;
  readonly style: string;
}

/** Characters that XML 1.0 cannot hold at all are left out. */
function escapeXml(text: string): string {
  return [...text.toWellFormed()]
    .filter((character) => /[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(character))
    .join('')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** As much as fits on a line. */
function cut(text: string): string {
  return text.length <= 76 ? text : `${[...text].slice(0, 75).join('')}…`;
}

/** To a hundredth of a pixel. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
