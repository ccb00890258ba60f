// Rules of roles as short texts: words make up lists, and `core` stands for the group without a name.
import type { PolicyRule } from "../../types/rbac.ts";

export const read = "get list watch";
export const write = "create delete deletecollection patch update";
export const readWrite = `${read} ${write}`;

/** Makes a rule: `rule("get list", "core apps", "pods deployments/status")`. */
export function rule(
  verbs: string,
  groups: string,
  about: string | { readonly resources: string; readonly names: string },
): PolicyRule {
  const { resources, names } = typeof about === "string" ? { resources: about, names: "" } : about;
  return {
    verbs: words(verbs),
    apiGroups: words(groups).map((group) => (group === "core" ? "" : group)),
    resources: words(resources),
    ...(names === "" ? {} : { resourceNames: words(names) }),
  };
}

export function paths(verbs: string, urls: string): PolicyRule {
  return { verbs: words(verbs), nonResourceURLs: words(urls) };
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
