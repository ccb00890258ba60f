import type { Commands } from "./command.ts";
import { capture } from "./process/capture.ts";
import { launch } from "./process/launch.ts";

export function systemCommands(environment: NodeJS.ProcessEnv = process.env): Commands {
  return {
    run: (command, options) => capture(command, { ...options, inherited: environment }),
    start: (command, options) => launch(command, { ...options, inherited: environment }),
  };
}
