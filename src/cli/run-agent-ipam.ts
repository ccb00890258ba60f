// Where pods get their addresses from tandem-ipam, the agent does its work: the plugin only asks.
import { systemClock } from "../host/clock.system.ts";
import { meetAtSocket, usualSocket } from "../ipam/combine/sockets.ts";
import { IpamDaemon } from "../ipam/daemon.ts";
import type { Registry } from "../program/metrics.ts";
import type { Part } from "../program/run-all.ts";
import type { AgentSettings } from "./run-agent-settings.ts";

export function ipamDaemonOf({ ipam, log }: AgentSettings, metrics: Registry): readonly Part[] {
  if (ipam !== "tandem") return [];
  const socket = usualSocket(process.env);
  const meeting = meetAtSocket(socket);
  if (meeting !== undefined) return [new IpamDaemon({ meeting, clock: systemClock, log, metrics })];
  log.warn("cannot serve tandem-ipam, which does its work itself", { socket });
  return [];
}
