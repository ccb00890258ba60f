import { schemaOf } from "../schema/registry.ts";
import type { Operation } from "./operations.ts";

const objects = ["application/json", "application/yaml"];
/** The patch type that custom resources lack, since their schemas do not tell how lists merge. */
const strategic = "application/strategic-merge-patch+json";
const patches = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  strategic,
];

/** The media types of request bodies. kubectl looks here before it sends a strategic merge patch. */
export function bodyTypes({ action, gvk }: Pick<Operation, "action" | "gvk">): readonly string[] {
  const isCustom = schemaOf(gvk) === undefined;
  if (action === "patch") return isCustom ? patches.filter((type) => type !== strategic) : patches;
  if (action === "connect") return ["*/*"];
  return isCustom ? objects : [...objects, "application/vnd.kubernetes.protobuf"];
}

/** The media types of responses. */
export function responseTypes(action: Operation["action"]): readonly string[] {
  if (action === "connect") return ["*/*"];
  return action === "list" ? [...objects, "application/json;stream=watch"] : objects;
}
