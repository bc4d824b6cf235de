/** Downloads bytes as a file. */
export function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: some browsers read the address only after this turn.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 60_000);
}
