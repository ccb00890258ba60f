import type { Operation } from "./operations.ts";

const objects = ["application/json", "application/yaml"];
const patches = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];

/** What a request body may be. */
export function bodyTypes(action: Operation["action"]): readonly string[] {
  if (action === "patch") return patches;
  return action === "connect" ? ["*/*"] : [...objects, "application/vnd.kubernetes.protobuf"];
}

/** What an answer may be. */
export function responseTypes(action: Operation["action"]): readonly string[] {
  if (action === "connect") return ["*/*"];
  return action === "list" ? [...objects, "application/json;stream=watch"] : objects;
}
