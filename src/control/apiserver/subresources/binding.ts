// The binding subresource: assigns a pod to its node.
import { timestamp } from "../../../api/fields/timestamp.ts";
import type { Binding, Pod } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import { admitDynamically } from "../admission/dynamic.ts";
import type { Core } from "../core.ts";
import { conflict, invalid, notFound } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { sendObject } from "../http/respond.ts";
import type { ServedResource } from "../resources/served.ts";
import { mutate } from "../write/mutate.ts";
import { writeOptions } from "../write/options.ts";
import { prepareUpdate } from "../write/prepare.ts";
import { readSubresource } from "./read.ts";

export async function bind(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const binding = (await readSubresource(exchange, { group: "", kind: "Binding" })) as Binding;
  const pods = core.catalogue.find("", "v1", "pods") ?? resource;
  const node = binding.target?.name ?? "";
  const name = exchange.target.name ?? binding.metadata?.name ?? "";
  if (node === "") {
    throw invalid({ group: "", name: "Binding" }, name, [
      { type: "FieldValueRequired", field: "target.name", detail: "" },
    ]);
  }
  // The legacy path has no pod in it; the write is the same.
  const target = { ...exchange.target, name, subresource: "binding" };
  const admitted = { operation: "CREATE", resource: pods, object: binding } as const;
  await admitDynamically(core, { ...exchange, target }, admitted);
  await mutate(core, {
    resource: pods,
    namespace: exchange.target.namespace ?? "",
    name,
    dryRun: writeOptions(exchange).dryRun,
    async plan(item) {
      if (item === undefined) throw notFound(pods.groupResource, name);
      const pod = item.parse() as Pod;
      assign(pod, binding, core.settings.now());
      const object = await prepareUpdate(
        core,
        { ...exchange, target },
        {
          resource: pods,
          object: pod,
          old: item.parse(),
          keepsStatus: false,
          isAdmitted: true,
        },
      );
      // The generation is kept: the node of a pod is not desired state of its owner.
      const { generation } = item.parse().metadata ?? {};
      if (object.metadata !== undefined && generation !== undefined) {
        object.metadata.generation = generation;
      }
      return { type: "put", object };
    },
  });
  sendObject(
    exchange,
    { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
    201,
  );
}

function assign(pod: Pod, { target, metadata }: Binding, now: Date): void {
  const { name, uid, deletionTimestamp, annotations } = pod.metadata;
  const refuse = (state: string) => conflict({ group: "", name: "pods/binding" }, name, state);
  const meant = metadata?.uid || uid;
  if (meant !== uid) {
    throw refuse(`Precondition failed: UID in precondition: ${meant}, UID in object meta: ${uid}`);
  }
  if (deletionTimestamp !== undefined) {
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  }
  const present = pod.spec.nodeName ?? "";
  if (present !== "") {
    throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(present)}`);
  }
  pod.spec.nodeName = target.name ?? "";
  if (metadata?.annotations !== undefined) {
    pod.metadata.annotations = { ...annotations, ...metadata.annotations };
  }
  const status = (pod.status ??= {});
  const others = (status.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  const { generation } = pod.metadata;
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastTransitionTime: timestamp(now),
    ...defined({ observedGeneration: generation }),
  };
  status.conditions = [...others, scheduled];
}
