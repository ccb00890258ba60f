// Reads the manifests of static pods, which the node runs by itself.

import { createHash } from "node:crypto";
import { dnsLabel, dnsSubdomain } from "../../../api/fields/names.ts";
import { presentName } from "../../../api/kinds/checks.ts";
import { kindOf } from "../../../api/kinds/kinds.ts";
import { validatePodSpec } from "../../../api/kinds/pod.ts";
import { schemaOf } from "../../../api/schema/registry.ts";
import { validate } from "../../../api/schema/validate.ts";
import type { Pod } from "../../../api/types/core.ts";
import type { ObjectMeta } from "../../../api/types/meta.ts";
import { parseYaml } from "../../../base/json/parse-yaml.ts";
import { isObject } from "../../../base/json/value.ts";

const sourceAnnotation = "kubernetes.io/config.source";
const hashAnnotation = "kubernetes.io/config.hash";

/** Returns the pod as it is run on this node. Throws when the text is not a valid pod. */
export function readManifest(
  text: string,
  { file, node }: { readonly file: string; readonly node: string },
): Pod {
  const given = parseYaml(text);
  if (!isPod(given)) throw new Error(`Cannot run ${file}: it is not a v1 Pod with a name`);
  const schema = schemaOf({ group: "", version: "v1", kind: "Pod" });
  const [finding] = schema === undefined ? [] : validate(schema, given);
  if (finding !== undefined) {
    throw new Error(`Cannot run ${file}: ${finding.path}: ${finding.message}`);
  }
  kindOf("", "Pod")?.default?.(given);
  const { name } = given.metadata;
  const namespace = (given.metadata as ObjectMeta).namespace ?? "default";
  // The pod's name and namespace become parts of file names, so they must be valid.
  const [error] = [
    ...presentName("metadata.name", name, dnsSubdomain),
    ...presentName("metadata.namespace", namespace, dnsLabel),
    ...validatePodSpec(given.spec, "spec", { isPod: true }),
  ];
  if (error !== undefined) {
    throw new Error(`Cannot run ${file}: ${error.field}: ${error.detail}`);
  }
  // The uid depends on the file's content: a changed file is another pod.
  const uid = createHash("sha256").update(`${node}\0${file}\0${text}`).digest("hex").slice(0, 32);
  return {
    ...given,
    metadata: {
      ...given.metadata,
      name: `${name}-${node}`,
      namespace,
      uid,
      annotations: {
        ...given.metadata.annotations,
        [sourceAnnotation]: "file",
        [hashAnnotation]: uid,
      },
    },
    spec: { ...given.spec, nodeName: node },
  };
}

function isPod(value: unknown): value is Pod {
  return (
    isObject(value) &&
    value["apiVersion"] === "v1" &&
    value["kind"] === "Pod" &&
    isObject(value["metadata"]) &&
    typeof value["metadata"]["name"] === "string" &&
    isObject(value["spec"])
  );
}
