/** The most characters of a log that a page keeps: the newest. */
const most = 200_000;

/** Returns the end of a long log, from the beginning of a line on. */
export function shortened(text: string): string {
  if (text.length <= most) return text;
  const cut = text.slice(-most);
  return cut.slice(cut.indexOf("\n") + 1);
}
