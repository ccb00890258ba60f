import type { ControllerEntry } from "./context.ts";

/**
 * Returns the controllers that `wanted` asks for: a name, `*` for all, `-name` to exclude one. The last word
 * about a controller counts; without any it does not run.
 */
export function chooseControllers(
  entries: readonly ControllerEntry[],
  wanted: readonly string[],
): readonly ControllerEntry[] {
  const chosen = new Set<string>();
  const names = entries.map(({ name }) => name);
  for (const word of wanted) {
    const isLeftOut = word.startsWith("-");
    const meant = isLeftOut ? word.slice(1) : word;
    if (meant !== "*" && !names.includes(meant)) {
      throw new Error(
        `Cannot run the controller "${meant}": there are ${names.toSorted().join(", ")}`,
      );
    }
    for (const name of meant === "*" ? names : [meant]) {
      if (isLeftOut) chosen.delete(name);
      else chosen.add(name);
    }
  }
  return entries.filter(({ name }) => chosen.has(name));
}
