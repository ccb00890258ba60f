// Decides which pods may use the images that contain programs of the machine.

import type { Pod } from "../../../api/types/core.ts";

const hostImages = /^tandem\.internal\/(?:host|tandem)(?::latest)?$/;

export function mayUseImage(
  image: string,
  { metadata: { namespace, name } }: Pod,
  users: readonly string[],
): boolean {
  if (!hostImages.test(image)) return true;
  return users.some((user) => {
    const [whose = "", which = "*"] = user.split("/");
    return matches(namespace, whose) && matches(name, which);
  });
}

function matches(text: string, pattern: string): boolean {
  return pattern.endsWith("*") ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
}
