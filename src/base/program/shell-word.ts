// Words in commands that people copy into their shell.

/** Returns a word as a shell reads it: as it is, or in quotes where the shell would make something else of it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./[\]-]+$/.test(word) ? word : quoted(word);
}

/** Returns a word in quotes, within which a shell reads everything as it is. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
