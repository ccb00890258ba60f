import { invalid as invalidField } from "../../../api/fields/field-errors.ts";
import { needsHealthCheckNodePort, needsNodePorts } from "../../../api/kinds/service.ts";
import type { Service } from "../../../api/types/core.ts";
import type { Store } from "../../store/store.ts";
import { invalid } from "../errors.ts";
import type { Companions } from "../resources/companions.ts";
import { choosePort, isInRange } from "./node-ports.ts";
import { type Attempt, type ServiceChange, serviceKind } from "./plan.ts";
import { encodePort, nodePortKey, nodePortPrefix } from "./reservations.ts";

export async function planPorts(
  { old, new: service }: ServiceChange,
  attempt: Attempt,
): Promise<Companions> {
  const held = new Set(old === undefined ? [] : allocatedPorts(old));
  const wanted =
    service === undefined ? new Set<number>() : await completePorts(service, held, attempt);
  const added = [...wanted].filter((port) => !held.has(port));
  const released = [...held].filter((port) => !wanted.has(port));
  const value = encodePort(service?.metadata ?? {});
  return {
    compare: added.map((port) => ({ key: nodePortKey(port), modified: 0 })),
    operations: [
      ...added.map((port) => ({ type: "put" as const, key: nodePortKey(port), value })),
      ...released.map((port) => ({ type: "delete" as const, key: nodePortKey(port) })),
    ],
  };
}

/** Returns the node ports a service holds, including that for health checks. */
export function allocatedPorts({ spec }: Service): number[] {
  const ports = (spec.ports ?? []).map(({ nodePort }) => nodePort ?? 0);
  return [...ports, spec.healthCheckNodePort ?? 0].filter((port) => port > 0);
}

async function completePorts(
  service: Service,
  held: ReadonlySet<number>,
  attempt: Attempt,
): Promise<Set<number>> {
  const wanted = new Set(allocatedPorts(service));
  for (const port of wanted) {
    if (!held.has(port)) await checkRequested(service, port, attempt);
  }
  const missing = missingPorts(service);
  if (missing.length === 0) return wanted;
  const { nodePorts, store, random } = attempt.options;
  const taken = new Set([...wanted, ...(await takenPorts(store))]);
  for (const assign of missing) {
    const port = choosePort(nodePorts, taken, () => random.fraction());
    if (port === undefined) {
      const detail = `failed to allocate a nodePort: range is full: all of ${nodePorts.first}-${nodePorts.last} are taken`;
      throw invalid(serviceKind, service.metadata.name ?? "", [
        invalidField(unsetField(service), 0, detail),
      ]);
    }
    taken.add(port);
    wanted.add(port);
    assign(port);
  }
  return wanted;
}

/** Returns the field that the next port would have been for. */
function unsetField({ spec }: Service): string {
  const index = (spec.ports ?? []).findIndex(({ nodePort }) => !nodePort);
  return index < 0 ? "spec.healthCheckNodePort" : `spec.ports[${index}].nodePort`;
}

/** Returns one setter for each port that is still to be chosen. */
function missingPorts(service: Service): ((port: number) => void)[] {
  const { spec } = service;
  const setters: ((port: number) => void)[] = [];
  const unset = needsNodePorts(service) ? (spec.ports ?? []).filter((port) => !port.nodePort) : [];
  for (const port of unset) {
    setters.push((chosen) => {
      port.nodePort = chosen;
    });
  }
  if (needsHealthCheckNodePort(service) && !spec.healthCheckNodePort) {
    setters.push((chosen) => {
      spec.healthCheckNodePort = chosen;
    });
  }
  return setters;
}

async function checkRequested(service: Service, port: number, attempt: Attempt): Promise<void> {
  const { nodePorts, store } = attempt.options;
  const index = (service.spec.ports ?? []).findIndex(({ nodePort }) => nodePort === port);
  const field = index < 0 ? "spec.healthCheckNodePort" : `spec.ports[${index}].nodePort`;
  const refuse = (detail: string): Error =>
    invalid(serviceKind, service.metadata.name ?? "", [invalidField(field, port, detail)]);
  if (!isInRange(port, nodePorts)) {
    const range = `${nodePorts.first}-${nodePorts.last}`;
    throw refuse(`provided port is not in the valid range. The range of valid ports is ${range}`);
  }
  if (attempt.number > 0 && (await store.get(nodePortKey(port))) !== undefined) {
    throw refuse("provided port is already allocated");
  }
}

async function takenPorts(store: Store): Promise<number[]> {
  const page = await store.list(nodePortPrefix);
  return page.entries.map(({ key }) => Number(key.slice(nodePortPrefix.length)));
}
