// The API objects, and the frontends planned from them. A changed object plans only its own service.

import type { Endpoints, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { type Family, families } from "../../../base/net/family.ts";
import { frontendKey } from "./frontend.ts";
import { type Delta, FrontendTable } from "./frontend-table.ts";
import {
  emptyPlan,
  type HealthCheckPlan,
  type PlanContext,
  planService,
  type ServicePlan,
} from "./plan-service.ts";
import type { Problem } from "./problem.ts";

/** The difference between the last state taken and the current one. */
export interface StateChange {
  readonly deltas: Readonly<Record<Family, Delta>>;
  /** The health checks of services whose check, or its answer, has changed. */
  readonly healthChecks: ReadonlyMap<string, HealthCheckPlan | undefined>;
  /** The problems of services whose problems have changed, all of each service. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
}

interface Entry {
  service: Service | undefined;
  readonly slices: Map<string, EndpointSlice>;
  endpoints: Endpoints | undefined;
  plan: ServicePlan;
  problems: readonly Problem[];
}

/** The desired state of all services. Their keys are `namespace/name`. */
export class DesiredState {
  readonly tables: Readonly<Record<Family, FrontendTable>> = {
    IPv4: new FrontendTable(),
    IPv6: new FrontendTable(),
  };
  #context: PlanContext;
  readonly #entries = new Map<string, Entry>();
  readonly #dirty = new Set<string>();

  constructor(context: PlanContext) {
    this.#context = context;
  }

  get context(): PlanContext {
    return this.#context;
  }

  get isDirty(): boolean {
    return this.#dirty.size > 0;
  }

  setContext(context: PlanContext): void {
    this.#context = context;
    for (const key of this.#entries.keys()) this.#dirty.add(key);
  }

  setService(key: string, service: Service | undefined): void {
    this.#change(key).service = service;
  }

  /** Sets or removes the EndpointSlice called `name`. */
  setSlice(serviceKey: string, name: string, slice: EndpointSlice | undefined): void {
    const { slices } = this.#change(serviceKey);
    if (slice === undefined) slices.delete(name);
    else slices.set(name, slice);
  }

  setEndpoints(serviceKey: string, endpoints: Endpoints | undefined): void {
    this.#change(serviceKey).endpoints = endpoints;
  }

  service(key: string): Service | undefined {
    return this.#entries.get(key)?.service;
  }

  plan(serviceKey: string): ServicePlan {
    return this.#entries.get(serviceKey)?.plan ?? emptyPlan;
  }

  problems(serviceKey: string): readonly Problem[] {
    return this.#entries.get(serviceKey)?.problems ?? [];
  }

  /** Plans the changed services, and returns the changes since the last call. */
  takeChange(): StateChange {
    const healthChecks = new Map<string, HealthCheckPlan | undefined>();
    const touched = new Set(this.#dirty);
    for (const key of this.#dirty) {
      const entry = this.#entries.get(key);
      if (entry === undefined) continue;
      const before = entry.plan;
      entry.plan = this.#plan(entry);
      if (!sameHealthCheck(before.healthCheck, entry.plan.healthCheck)) {
        healthChecks.set(key, entry.plan.healthCheck);
      }
      const claimant = { key, since: entry.service?.metadata.creationTimestamp ?? "" };
      for (const family of families) {
        const others = this.tables[family].set(claimant, entry.plan.frontends[family]);
        for (const other of others) touched.add(other);
      }
    }
    this.#dirty.clear();
    return {
      deltas: { IPv4: this.tables.IPv4.takeDelta(), IPv6: this.tables.IPv6.takeDelta() },
      healthChecks,
      problems: this.#changedProblems(touched),
    };
  }

  #plan({ service, slices, endpoints, plan }: Entry): ServicePlan {
    if (service === undefined) return emptyPlan;
    return planService({ service, slices: [...slices.values()], endpoints }, this.#context, plan);
  }

  #change(key: string): Entry {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = {
        service: undefined,
        slices: new Map(),
        endpoints: undefined,
        plan: emptyPlan,
        problems: [],
      };
      this.#entries.set(key, entry);
    }
    this.#dirty.add(key);
    return entry;
  }

  #changedProblems(touched: ReadonlySet<string>): ReadonlyMap<string, readonly Problem[]> {
    const changed = new Map<string, readonly Problem[]>();
    for (const key of touched) {
      const entry = this.#entries.get(key);
      if (entry === undefined) continue;
      const problems = [...entry.plan.problems, ...this.#lostPlaces(key)];
      if (JSON.stringify(problems) !== JSON.stringify(entry.problems)) {
        entry.problems = problems;
        changed.set(key, problems);
      }
      if (isForgettable(entry)) this.#entries.delete(key);
    }
    return changed;
  }

  #lostPlaces(key: string): Problem[] {
    return families.flatMap((family) =>
      this.tables[family].losses(key).map(({ frontend, winner }) => ({
        field: frontend.kind,
        value: frontendKey(frontend),
        state: `it belongs to service ${winner}`,
      })),
    );
  }
}

function isForgettable({ service, slices, endpoints }: Entry): boolean {
  return service === undefined && slices.size === 0 && endpoints === undefined;
}

function sameHealthCheck(
  one: HealthCheckPlan | undefined,
  other: HealthCheckPlan | undefined,
): boolean {
  return (
    one?.port === other?.port &&
    families.every((family) => one?.localBackends[family] === other?.localBackends[family])
  );
}
