// The command line of conmon.
import type { CallOptions } from "../../base/host/command.ts";
import type { Bundle } from "./bundle/write.system.ts";
import type { Identity } from "./machine/identity.ts";
import type { ContainerPlaces, Places } from "./places.ts";
import type { ContainerSpec } from "./port.ts";

export interface MonitorOptions extends CallOptions {
  readonly spec: ContainerSpec;
  readonly places: Places;
  readonly identity: Identity;
  readonly bundle: Bundle;
  /** The paths of conmon and of the OCI runtime. */
  readonly monitor: string;
  readonly runtime: string;
  /** The path of the helper program that mounts and then becomes conmon. */
  readonly helper: string;
}

export function monitorArguments(options: MonitorOptions): readonly string[] {
  const { spec, places, identity } = options;
  const own: ContainerPlaces = places.container(spec.id);
  return [
    "--api-version=1",
    `--cid=${spec.id}`,
    `--cuuid=${spec.id}`,
    `--name=${spec.id}`,
    `--runtime=${options.runtime}`,
    `--runtime-arg=--root=${places.runtime}`,
    `--bundle=${own.directory}`,
    `--persist-dir=${own.directory}`,
    `--exit-dir=${places.exits}`,
    "--full-attach",
    `--container-pidfile=${own.pid}`,
    `--conmon-pidfile=${own.monitorPid}`,
    `--log-path=k8s-file:${spec.logPath}`,
    "--no-sync-log",
    "--log-level=error",
    // The kernel allows an ordinary user only few keyrings.
    ...(identity.isRootless ? ["--no-new-keyring"] : []),
    ...(spec.terminal === true ? ["--terminal"] : []),
    ...(spec.stdin === true ? ["--stdin"] : []),
    ...(spec.stdin === true && spec.stdinOnce !== true ? ["--leave-stdin-open"] : []),
  ];
}
