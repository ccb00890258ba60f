// Field names in expressions: names that are no identifiers are escaped.

const reserved = new Set(
  (
    "true false null in as break const continue else for function if import let loop package " +
    "namespace return var void while"
  ).split(" "),
);
const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** Returns the identifier of a field; `undefined` when it cannot have one. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (part) => escapes[part] ?? part);
}

const originals = new Map(Object.entries(escapes).map(([name, escaped]) => [escaped, name]));

/** Returns the field of an identifier. */
export function unescapeName(identifier: string): string {
  if (!identifier.includes("__")) return identifier;
  const word = /^__([a-z]+)__$/.exec(identifier)?.[1];
  if (word !== undefined && reserved.has(word)) return word;
  return identifier.replace(/__[a-z]+__/g, (part) => originals.get(part) ?? part);
}
