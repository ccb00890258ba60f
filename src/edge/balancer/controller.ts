// Assigns addresses to services of type LoadBalancer. The services' statuses are the only record of who has
// which address: there is no other state, and nothing to release when a service is deleted.

import type { Client } from "../../api/client/client.ts";
import { Controller } from "../../api/client/controller.ts";
import { isConflict, isNotFound } from "../../api/client/errors.ts";
import type { EventRecorder } from "../../api/client/events.ts";
import type { Informer, Informers } from "../../api/client/informer.ts";
import { keyOf } from "../../api/client/objects.ts";
import { timestamp } from "../../api/fields/timestamp.ts";
import type { Namespace, Node, Service } from "../../api/types/core.ts";
import type { Condition } from "../../api/types/meta.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Random } from "../../base/host/random.ts";
import { defined } from "../../base/json/defined.ts";
import { Address } from "../../base/net/address.ts";
import { families } from "../../base/net/family.ts";
import { RangeSet } from "../../base/net/range-set.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Part } from "../../base/program/run-all.ts";
import { type Allocation, allocate } from "./allocate/allocate.ts";
import { isOurs, readClaim } from "./allocate/claim.ts";
import { type Pool, poolHas, readPool } from "./allocate/read-pool.ts";
import { type AddressPool, type AddressPoolStatus, addressPools } from "./pool.ts";
import { relevantChanges, versionIf } from "./relevant-changes.ts";

/** The dependencies of the controller; everything in it lasts as long as a term of leadership. */
export interface BalancerContext {
  readonly client: Client;
  readonly informers: Informers;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Registry | undefined;
}

/** The controllers of this folder, for the list of all controllers. */
export const loadBalancerControllers: readonly {
  readonly name: string;
  create(context: BalancerContext): Part;
}[] = [{ name: "load-balancers", create: (context) => new LoadBalancers(context).controller }];

const everything = "all";
const conditionType = "tandem.internal/AddressesAssigned";
/** The debounce interval: changes within it are handled together. */
const quietMs = 20;

class LoadBalancers {
  readonly controller: Controller;
  readonly #context: BalancerContext;
  readonly #services: Informer<Service>;
  readonly #pools: Informer<AddressPool>;
  readonly #nodes: Informer<Node>;
  readonly #namespaces: Informer<Namespace>;

  constructor(context: BalancerContext) {
    const { client, informers } = context;
    this.#context = context;
    this.#services = informers.of(client.resource("v1", "Service"));
    this.#pools = informers.of(client.custom<AddressPool>(addressPools));
    this.#nodes = informers.of(client.resource("v1", "Node"));
    this.#namespaces = informers.of(client.resource("v1", "Namespace"));
    this.controller = new Controller({
      ...context,
      name: "load-balancers",
      // All sources share one key, since addresses are assigned to all services at once.
      sources: [
        relevantChanges(this.#services, versionIf(isOurs), everything),
        relevantChanges(this.#pools, (pool) => [pool.spec, pool.status], everything),
        relevantChanges(this.#nodes, ({ status }) => status?.addresses ?? [], everything),
        relevantChanges(this.#namespaces, ({ metadata }) => metadata.labels ?? {}, everything),
      ],
      reconcile: (_, signal) => this.#reconcile(signal),
    });
  }

  async #reconcile(signal: AbortSignal): Promise<void> {
    await this.#context.clock.sleep(quietMs, signal);
    const pools = this.#pools.list().map(readPool).toSorted(byName);
    const ours = this.#services.list().filter(isOurs).toSorted(byAge);
    const claims = ours.map((service) => readClaim(service, this.#labelsOf(service)));
    const allocations = allocate(claims, { pools, reserved: this.#nodeAddresses() });
    for (const service of ours) {
      const allocation = allocations.get(keyOf(service));
      if (allocation !== undefined) await this.#write(service, allocation, signal);
    }
    const used = [...allocations.values()].flatMap(({ addresses }) => addresses);
    for (const pool of pools) await this.#writePool(pool, used, signal);
  }

  async #write(service: Service, allocation: Allocation, signal: AbortSignal): Promise<void> {
    const { client, recorder, clock } = this.#context;
    const { addresses, problems } = allocation;
    const ingress = addresses.map((address) => ({ ip: address.toString(), ipMode: "VIP" }));
    const before = service.status ?? {};
    const [problem] = problems;
    const condition = conditionOf(before.conditions ?? [], {
      type: conditionType,
      status: problem === undefined ? "True" : "False",
      reason: problem?.reason ?? "Assigned",
      message: problems.map(({ message }) => message).join("; "),
      lastTransitionTime: timestamp(clock.now()),
    });
    const had = (before.loadBalancer?.ingress ?? []).map(({ ip }) => ip).join(" ");
    const has = addresses.join(" ");
    if (had === has && condition === undefined) return;
    const { namespace, name, resourceVersion } = service.metadata;
    const others = (before.conditions ?? []).filter(({ type }) => type !== conditionType);
    const conditions = condition === undefined ? before.conditions : [...others, condition];
    const merge = {
      // The precondition: the decision holds for this version of the service only.
      metadata: resourceVersion === undefined ? {} : { resourceVersion },
      status: { loadBalancer: { ingress }, ...defined({ conditions }) },
    };
    try {
      const services = client.resource("v1", "Service");
      await services.patchStatus({ namespace, name }, { merge }, { signal });
    } catch (error) {
      // The change that caused the conflict is an event of its own, which triggers another reconcile.
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
    if (had !== has && has !== "") {
      const message = `Assigned ${addresses.join(", ")}`;
      recorder.record(service, { type: "Normal", reason: "AddressesAssigned", message });
    }
    for (const { reason, message } of problems) {
      recorder.record(service, { type: "Warning", reason, message });
    }
  }

  async #writePool(pool: Pool, used: readonly Address[], signal: AbortSignal): Promise<void> {
    const { client } = this.#context;
    const status: AddressPoolStatus = {
      families: families.flatMap((family) => {
        const ranges = [...pool.ranges].filter((range) => range.family === family);
        const total = ranges.reduce((sum, { size }) => sum + size, 0n);
        const own = new Set(
          used
            .filter((address) => address.family === family && poolHas(pool, address))
            .map((address) => address.toString()),
        );
        return total === 0n ? [] : [{ family, total: total.toString(), used: own.size }];
      }),
      problems: [...pool.problems],
    };
    const before = this.#pools.get(pool.name)?.status;
    if (JSON.stringify(before) === JSON.stringify(status)) return;
    try {
      const resource = client.custom<AddressPool>(addressPools);
      await resource.patchStatus({ name: pool.name }, { merge: { status } }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #labelsOf({ metadata }: Service): Readonly<Record<string, string>> {
    return this.#namespaces.get(metadata.namespace)?.metadata.labels ?? {};
  }

  #nodeAddresses(): RangeSet {
    const texts = this.#nodes
      .list()
      .flatMap(({ status }) => (status?.addresses ?? []).map(({ address }) => address));
    return RangeSet.of(texts.map(Address.tryParse).filter((address) => address !== undefined));
  }
}

/** The new condition, if it differs from the old one. */
function conditionOf(before: readonly Condition[], wanted: Condition): Condition | undefined {
  const old = before.find(({ type }) => type === wanted.type);
  if (old === undefined) return wanted;
  const { status, reason, message } = wanted;
  if (old.status === status && old.reason === reason && old.message === message) return undefined;
  return old.status === status ? { ...wanted, lastTransitionTime: old.lastTransitionTime } : wanted;
}

function byName(a: Pool, b: Pool): number {
  return a.name < b.name ? -1 : 1;
}

function byAge(a: Service, b: Service): number {
  const [first = "", second = ""] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (first !== second) return first < second ? -1 : 1;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
