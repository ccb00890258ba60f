/**
 * Puts the values of variables in place of `$(NAME)`. What is not known stays as it is, and `$$` is a
 * dollar sign.
 */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(?:\$|\(([^()]*)\))/g, (found, name?: string) => {
    if (name === undefined) return "$";
    return Object.hasOwn(variables, name) ? (variables[name] ?? "") : found;
  });
}
