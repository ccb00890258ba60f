/**
 * Replaces `$(NAME)` by the variable's value. References to unknown variables stay as they are, and `$$` is a
 * dollar sign.
 */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(?:\$|\(([^()]*)\))/g, (found, name?: string) => {
    if (name === undefined) return "$";
    return Object.hasOwn(variables, name) ? (variables[name] ?? "") : found;
  });
}

/** Returns the names of the variables that the text refers to. */
export function referencesIn(text: string): readonly string[] {
  return [...text.matchAll(/\$(?:\$|\(([^()]*)\))/g)].flatMap(([, name]) => name ?? []);
}
