import type { Clock } from "../../../base/host/clock.ts";
import type { Commands } from "../../../base/host/command.ts";
import type { Files } from "../../../base/host/files.ts";

/** What a kubeconfig leads to. */
export interface Machine {
  readonly files: Files;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
