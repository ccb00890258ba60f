import type { Container, Pod, PodSpec } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";

interface PodFields {
  readonly uid?: string;
  readonly spec?: Partial<PodSpec>;
  readonly container?: Partial<Container>;
  readonly metadata?: Partial<Pod["metadata"]>;
  readonly status?: Pod["status"];
}

export function podOf(name: string, fields: PodFields = {}): Pod {
  const { uid = `uid-${name}`, spec, container, metadata, status } = fields;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", name, uid, ...metadata },
    spec: {
      nodeName: "node-a",
      containers: [{ name: "main", image: "image", ...container }],
      ...spec,
    },
    ...defined({ status }),
  };
}
