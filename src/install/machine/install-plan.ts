// What is done to a machine to give it a role: files, and units that run.

import { UsageError } from "../../base/program/errors.ts";
import type { MachineFacts } from "./facts.ts";
import { type ConfigValues, mergeConfig } from "./merge-config.ts";
import { configPath } from "./places.ts";

export interface PlannedFile {
  readonly path: string;
  readonly content: string;
  readonly change: "create" | "change" | "keep";
}

export interface PlannedUnit {
  readonly unit: string;
  readonly action: "start" | "restart" | "keep";
}

export interface InstallPlan {
  readonly role: "server" | "agent";
  /** The name of the node; `undefined` if the machine is none. */
  readonly node: string | undefined;
  readonly files: readonly PlannedFile[];
  readonly units: readonly PlannedUnit[];
}

/** A service of the plan, and what its configuration must say. */
export interface PlannedService {
  readonly name: string;
  readonly values: ConfigValues;
}

export function planServices(
  facts: MachineFacts,
  services: readonly PlannedService[],
): Pick<InstallPlan, "files" | "units"> {
  const planned = services.map(({ name, values }) => {
    const path = configPath(name);
    const present = facts.configuration.get(path);
    const content = mergeConfig(path, present, values);
    const change = present === undefined ? "create" : present === content ? "keep" : "change";
    const unit = `tandem-${name}.service`;
    const state = facts.units.get(unit);
    const isUp = state?.isActive === true && state.isEnabled;
    const action = !isUp ? "start" : change === "keep" ? "keep" : "restart";
    return { file: { path, content, change } as const, unit: { unit, action } as const };
  });
  return { files: planned.map(({ file }) => file), units: planned.map(({ unit }) => unit) };
}

/** Throws if this machine cannot get a role at all. */
export function checkMachine(facts: MachineFacts, services: readonly string[]): void {
  if (!facts.isRoot) throw refused("only root can", "Run it with sudo.");
  if (!facts.hasSystemd) {
    const hint =
      "Without systemd, run 'tandem server' and 'tandem agent' by whatever starts services.";
    throw refused("systemd does not run this machine", hint);
  }
  const absent = services
    .map((name) => `tandem-${name}.service`)
    .find((unit) => !facts.units.has(unit));
  if (absent !== undefined) {
    throw refused(`there is no unit ${absent}`, "Install the Debian package: docs/install.md.");
  }
  if (facts.missing.size > 0) {
    const packages = [...new Set(facts.missing.values())].join(" ");
    throw refused(
      `${[...facts.missing.keys()].join(", ")} cannot be found`,
      `Run 'apt-get install ${packages}'.`,
    );
  }
  if (facts.addresses.length === 0) {
    throw refused("this machine has no address of its own", "Name one with --node-ip.");
  }
}

/** Throws if another program listens where a service of ours shall, unless that service runs already. */
export function checkPorts(
  { listeners, units }: MachineFacts,
  ports: Readonly<Record<string, readonly number[]>>,
): void {
  for (const [service, wanted] of Object.entries(ports)) {
    if (units.get(`tandem-${service}.service`)?.isActive === true) continue;
    const taken = wanted.find((port) => listeners.has(port));
    if (taken === undefined) continue;
    throw refused(
      `port ${taken}, which tandem-${service} needs, is taken by ${listeners.get(taken)}`,
      service === "etcd" && listeners.get(taken) === "etcd"
        ? "Debian's package starts an etcd of its own: 'systemctl disable --now etcd', or use it with --etcd-servers."
        : `'ss -ltnp sport = :${taken}' tells which process that is.`,
    );
  }
}

export function refused(state: string, hint?: string): UsageError {
  return new UsageError(`Cannot install: ${state}`, hint === undefined ? {} : { hint });
}
