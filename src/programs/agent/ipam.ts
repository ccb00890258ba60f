// The agent's part in tandem-ipam: it allocates the pods' addresses, and the CNI plugin only asks it.
import { systemClock } from "../../base/host/clock.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Part } from "../../base/program/run-all.ts";
import { IpamDaemon, meetAtSocket, usualSocket } from "../../node/ipam/ipam.ts";
import type { AgentSettings } from "./settings.ts";

export function ipamDaemonOf({ ipam, log }: AgentSettings, metrics: Registry): readonly Part[] {
  if (ipam !== "tandem") return [];
  const socket = usualSocket(process.env);
  const meeting = meetAtSocket(socket, systemRandom);
  if (meeting !== undefined) return [new IpamDaemon({ meeting, clock: systemClock, log, metrics })];
  log.warn("cannot serve tandem-ipam, which does its work itself", { socket });
  return [];
}
