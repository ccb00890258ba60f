/** The lines of a log that a page begins with. */
export const tailLines = 500;

/** The most characters of a log that a page keeps: the newest. */
const most = 200_000;

/** Returns the end of a long log, from the beginning of a line on. */
export function shortened(text: string): { readonly kept: string; readonly isCut: boolean } {
  if (text.length <= most) return { kept: text, isCut: false };
  const cut = text.slice(-most);
  return { kept: cut.slice(cut.indexOf("\n") + 1), isCut: true };
}
