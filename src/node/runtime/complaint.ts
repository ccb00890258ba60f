// How the error messages of the OCI runtime are read.

/** Returns the last error in the runtime's output, without the prefix that all such errors have. */
export function complaintOf(text: string): string {
  const messages = [...text.matchAll(/level=(?:error|fatal) msg=("(?:[^"\\]|\\.)*")/g)];
  const quoted = messages.at(-1)?.[1];
  const said = quoted === undefined ? text : (JSON.parse(quoted) as string);
  return said
    .trim()
    .replace(/^.*unable to start container process: (?:error during container init: )?/, "");
}
