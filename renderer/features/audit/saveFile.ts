/** Has the window save these pieces under this name: no command of the host takes a path from a page. */
export function saveFile(pieces: readonly string[], name: string): void {
  const url = URL.createObjectURL(new Blob([...pieces], { type: 'application/jsonl' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold on the bytes once it was begun.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
