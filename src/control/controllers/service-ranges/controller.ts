// Says which ServiceCIDRs are ready, and keeps those that are being deleted while services have addresses of
// them.

import { Controller } from "../../../api/client/controller.ts";
import { isNotFound } from "../../../api/client/errors.ts";
import { timestamp } from "../../../api/fields/timestamp.ts";
import { rule } from "../../../api/kinds/rbac.ts";
import type { ServiceCIDR } from "../../../api/types/networking.ts";
import { sameJson } from "../../../base/json/value.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { ControllerContext, ControllerEntry } from "../context.ts";
import { withCondition } from "../workloads/conditions.ts";

const finalizer = "networking.k8s.io/service-cidr-finalizer";

export const serviceRanges: ControllerEntry = {
  name: "service-cidrs",
  rights: [rule("update", "networking.k8s.io", "servicecidrs servicecidrs/status")],
  create: serviceRangesController,
};

function serviceRangesController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const resource = client.resource("networking.k8s.io/v1", "ServiceCIDR");
  const ranges = informers.of(resource);
  const addresses = informers.of(client.resource("networking.k8s.io/v1", "IPAddress"));

  const setReady = async (
    range: ServiceCIDR,
    news: { status: "True" | "False"; reason: string; message: string },
    signal: AbortSignal,
  ): Promise<void> => {
    const { conditions: before } = range.status ?? {};
    const conditions = withCondition(before, { type: "Ready", ...news }, timestamp(clock.now()));
    if (sameJson(conditions, before)) return;
    await resource.updateStatus({ ...range, status: { ...range.status, conditions } }, { signal });
  };

  const reconcile = async (name: string, signal: AbortSignal): Promise<void> => {
    const range = ranges.get(name);
    if (range === undefined) return;
    const { finalizers = [], deletionTimestamp } = range.metadata;
    const isHeld = finalizers.includes(finalizer);
    if (deletionTimestamp === undefined) {
      if (!isHeld) {
        const metadata = { ...range.metadata, finalizers: [...finalizers, finalizer] };
        // The change comes back as an event, which sets the condition.
        await resource.update({ ...range, metadata }, { signal });
        return;
      }
      const message = "Kubernetes Service CIDR is ready";
      return setReady(range, { status: "True", reason: "", message }, signal);
    }
    if (!isHeld) return;
    const { items } = await client
      .resource("networking.k8s.io/v1", "IPAddress")
      .listAll({ signal });
    const names = items.map(({ metadata }) => metadata.name);
    if (isNeeded(range, ranges.list(), names)) {
      const message =
        "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR";
      return setReady(range, { status: "False", reason: "Terminating", message }, signal);
    }
    const left = finalizers.filter((each) => each !== finalizer);
    try {
      await resource.update(
        { ...range, metadata: { ...range.metadata, finalizers: left } },
        { signal },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  const ending = () =>
    ranges
      .list()
      .flatMap(({ metadata: { name, deletionTimestamp } }) =>
        deletionTimestamp === undefined ? [] : [name],
      );
  return new Controller({
    ...context,
    sources: [ranges, ranges.mapped(ending), addresses.mapped(ending)],
    reconcile,
  });
}

/** Whether an address of the range would be in no range without it. */
export function isNeeded(
  range: ServiceCIDR,
  all: readonly ServiceCIDR[],
  addresses: readonly string[],
): boolean {
  const own = prefixesOf(range);
  const others = all
    .filter(({ metadata }) => metadata.uid !== range.metadata.uid)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap(prefixesOf);
  return addresses.some((text) => {
    const address = Address.tryParse(text);
    if (address === undefined || !own.some((prefix) => prefix.contains(address))) return false;
    return !others.some((prefix) => prefix.contains(address));
  });
}

function prefixesOf({ spec }: ServiceCIDR): Prefix[] {
  return (spec.cidrs ?? []).flatMap((text) => Prefix.tryParse(text) ?? []);
}
