// Lamps: how an object is in one family. The pair of both families' lamps is the unit of every view.

import { servicesCondition } from "../../../api/kinds/node-conditions.ts";
import type { Node, Pod, Service } from "../../../api/types/core.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { type Backend, readyIn } from "./backends.ts";
import { addressesOfNode, addressesOfPod, ofFamily, rangesOfNode } from "./cluster.ts";

/**
 * `off`: not wanted in this family. `unknown`: the user may not read what would tell. `uneven`: it works,
 * but less than in the other family.
 */
export type LampState = "ok" | "uneven" | "bad" | "waiting" | "off" | "unknown";

export interface Lamp {
  readonly state: LampState;
  readonly why: string;
}

export type LampPair = Readonly<Record<Family, Lamp>>;

/** The sign of each state, so that colour is not the only one. */
export const signs: Readonly<Record<LampState, string>> = {
  ok: "●",
  uneven: "▲",
  bad: "✖",
  waiting: "◔",
  off: "○",
  unknown: "?",
};

export function pairOf<T>(make: (family: Family) => T): Readonly<Record<Family, T>> {
  return { IPv4: make("IPv4"), IPv6: make("IPv6") };
}

export interface NodeContext {
  readonly clusterHas: readonly Family[];
  readonly silentAnnouncers: ReadonlySet<string>;
}

export function lampsOfNode(node: Node, context: NodeContext): LampPair {
  const { clusterHas, silentAnnouncers } = context;
  const condition = (wanted: string) =>
    node.status?.conditions?.find(({ type }) => type === wanted);
  const ready = condition("Ready");
  return pairOf((family) => {
    const address = textOf(ofFamily(addressesOfNode(node), family));
    const ranges = ofFamily(rangesOfNode(node), family).map((range) => range.toString());
    if (address === "" && ranges.length === 0 && !clusterHas.includes(family)) {
      return off(`the cluster has no ${family}`);
    }
    if (ready?.status !== "True") return bad(`not ready: ${ready?.reason ?? "no condition"}`);
    if (address === "") return bad(`no address of ${family}`);
    // Networks that hand out addresses by themselves leave all nodes without ranges.
    const isWithoutAny = rangesOfNode(node).length === 0;
    if (ranges.length === 0 && !isWithoutAny) return bad(`no pod range of ${family}`);
    // Nodes without our agent have no such condition, and nothing is claimed of them.
    const services = condition(servicesCondition(family));
    if (services?.status === "False") {
      return bad(`services are not served: ${services.message ?? services.reason ?? ""}`);
    }
    if (silentAnnouncers.has(node.metadata.name)) return bad("its announcer is silent");
    return ok([address, ...ranges].join(", "));
  });
}

export function lampsOfPod(pod: Pod, clusterHas: readonly Family[]): LampPair {
  const { phase = "Pending", conditions, reason } = pod.status ?? {};
  const isReady = conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  return pairOf((family) => {
    const address = textOf(ofFamily(addressesOfPod(pod), family));
    if (!clusterHas.includes(family) && address === "") return off(`the cluster has no ${family}`);
    if (phase === "Succeeded") return off("has ended");
    if (phase === "Failed") return bad(`failed: ${reason ?? "see its events"}`);
    if (pod.metadata.deletionTimestamp !== undefined) return waiting("is being deleted");
    if (phase === "Pending") return waiting("pending");
    if (address === "") return bad(`no address of ${family}`);
    return isReady === true ? ok(address) : bad(`${address}, not ready`);
  });
}

export interface ServiceContext {
  readonly backends: readonly Backend[];
  /** Whether the backends could not be read. */
  readonly isUnread: boolean;
}

export function lampsOfService(service: Service, context: ServiceContext): LampPair {
  const { backends, isUnread } = context;
  const most = Math.max(...Object.values(pairOf((family) => readyIn(backends, family))));
  return pairOf((family) => {
    if (service.spec.type === "ExternalName") return off("an external name");
    if (service.spec.ipFamilies?.includes(family) !== true) return off(`not of ${family}`);
    if (isUnread) return { state: "unknown", why: "EndpointSlices cannot be read" };
    const ready = readyIn(backends, family);
    if (ready === 0) return bad("no ready endpoint");
    const text = `${ready} ready endpoint${ready === 1 ? "" : "s"}`;
    return ready < most ? { state: "uneven", why: `${text}, of ${most}` } : ok(text);
  });
}

export const ok = (why: string): Lamp => ({ state: "ok", why });
export const bad = (why: string): Lamp => ({ state: "bad", why });
export const off = (why: string): Lamp => ({ state: "off", why });
const waiting = (why: string): Lamp => ({ state: "waiting", why });

function textOf(addresses: readonly Address[]): string {
  return addresses.map((address) => address.toString()).join(", ");
}
