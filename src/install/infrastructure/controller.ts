import type { Client } from "../../api/client/client.ts";
import { Controller } from "../../api/client/controller.ts";
import type { EventRecorder } from "../../api/client/events.ts";
import type { InformerSettings, Informers } from "../../api/client/informer.ts";
import { keyOf } from "../../api/client/objects.ts";
import { fieldErrorText } from "../../api/fields/field-error-text.ts";
import { rule } from "../../api/kinds/rbac.ts";
import type { Node } from "../../api/types/core.ts";
import { sameJson } from "../../base/json/value.ts";
import { Address } from "../../base/net/address.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import type { NodeAddress } from "../config/config.ts";
import { decide } from "./decide.ts";
import { type Infrastructure, infrastructures } from "./object.ts";

export interface InfrastructureControllerOptions extends InformerSettings {
  readonly client: Client;
  readonly informers: Informers;
  readonly recorder: EventRecorder;
  /** The networks of pods and services in this cluster. */
  readonly podNetworks: readonly Prefix[];
  readonly serviceNetworks: readonly Prefix[];
}

/** The rights that the controller needs beyond reading. */
export const infrastructureRights = [
  rule("update", "config.openshift.io", "infrastructures infrastructures/status"),
];

/** Reconciles spec and status of Infrastructure objects; see `decide`. */
export function infrastructureController(options: InfrastructureControllerOptions): Controller {
  const { client, informers, recorder, log, clock, random, metrics } = options;
  const resource = client.custom<Infrastructure>(infrastructures);
  const informer = informers.of(resource);
  const nodes = informers.of(client.resource("v1", "Node"));
  return new Controller({
    name: "infrastructure",
    sources: [informer, nodes.mapped(() => refusedOnes(informer.list()))],
    log,
    clock,
    random,
    metrics,
    async reconcile(key, signal) {
      const object = informer.get(key);
      if (object === undefined) return;
      const { desired, warnings, refused } = decide(object, {
        now: new Date(clock.now()),
        nodes: nodes.list().flatMap(addressesOf),
        podNetworks: options.podNetworks,
        serviceNetworks: options.serviceNetworks,
      });
      // The spec is written first: the status needs the resource version that this results in.
      const isWritten =
        isSame(object.spec, desired.spec) &&
        isSame(object.metadata.annotations, desired.metadata.annotations);
      const { metadata } = desired;
      const written = isWritten
        ? object
        : await resource.update({ ...object, metadata, ...specOf(desired) }, { signal });
      const isInStep = isSame(object.status, desired.status);
      if (!isInStep) await resource.updateStatus({ ...written, ...statusOf(desired) }, { signal });
      // Warnings come last: about an outdated object, such as one between the two writes, they would be wrong,
      // and its writes fail.
      for (const message of warnings) {
        log.warn(message, { infrastructure: key });
        recorder.record(object, { type: "Warning", reason: "VIPsDiffer", message });
      }
      for (const error of isInStep ? [] : refused) {
        const message = fieldErrorText(error);
        recorder.record(object, { type: "Warning", reason: "SpecRefused", message });
      }
    },
  });
}

/** The refused objects, which may be valid when a node has come, gone, or got another address. */
function refusedOnes(objects: readonly Infrastructure[]): string[] {
  return objects
    .filter(({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === "Degraded" && is === "True"),
    )
    .map(keyOf);
}

function addressesOf({ metadata, status }: Node): NodeAddress[] {
  return (status?.addresses ?? []).flatMap(({ address: text }) => {
    const address = Address.tryParse(text);
    return address === undefined ? [] : [{ node: metadata.name, address }];
  });
}

function specOf({ spec }: Infrastructure): Pick<Infrastructure, "spec"> {
  return spec === undefined ? {} : { spec };
}

function statusOf({ status }: Infrastructure): Pick<Infrastructure, "status"> {
  return status === undefined ? {} : { status };
}

function isSame(one: object | undefined, other: object | undefined): boolean {
  return sameJson(one ?? null, other ?? null);
}
