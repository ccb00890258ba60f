import type { Clock } from "../../../base/host/clock.ts";
import type { Commands } from "../../../base/host/command.ts";
import type { Files } from "../../../base/host/files.ts";

/** The parts of the machine that reading a kubeconfig needs. */
export interface Machine {
  readonly files: Files;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
